/* A study as a user of the library sees it: FILE is made, asked and told. */
#include <math.h>
#include <scant_study.h>
#include <stdio.h>

int main(int count, char **words) {
  const scant_study_attribute catalogue[3] = {{.name = "age", .low = 0, .high = 120},
                                              {.name = "pulse", .low = NAN, .high = NAN},
                                              {.name = "iron", .low = NAN, .high = NAN}};
  scant_settings settings;
  scant_error error;
  scant_study *study;
  const scant_study_order *order;
  scant_settings_init(&settings);
  if (count != 2 || scant_settings_set(&settings, "k", "2", &error) != SCANT_OK ||
      scant_study_create(words[1], &settings, catalogue, 3, NULL, &error) != SCANT_OK ||
      scant_study_open(&study, words[1], SCANT_STUDY_WRITE, NULL, &error) != SCANT_OK ||
      scant_study_ask(study, "first", &order, &error) != SCANT_OK)
    return 1;
  scant_study_answer answers[4];
  size_t n = order->count;
  for (size_t i = 0; i < n; i++)
    answers[i] = (scant_study_answer){scant_study_attribute_at(study, order->lines[i].attribute)->name, 1, 0};
  answers[n] = (scant_study_answer){"y", 1, 0};
  if (scant_study_tell(study, order->example, answers, n + 1, &error) != SCANT_OK ||
      scant_study_find(study, "first", &order, &error) != SCANT_OK)
    return 1;
  printf("%d %s\n", (int)order->number, scant_order_state_name(order->state));
  scant_study_close(study);
  return 0;
}
