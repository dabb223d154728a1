/* A program as a user of the installed library of studies writes it: a study that
 * is asked and told. */
#include <math.h>
#include <scant_study.h>
#include <stdio.h>

int main(int count, char **words) {
  scant_study_attribute catalogue[] = {{.name = "age", .unit = "years", .low = 0, .high = 120, .known = 1},
                                       {.name = "glucose", .cost = 350, .low = NAN, .high = NAN},
                                       {.name = "scan", .cost = 8000, .low = NAN, .high = NAN}};
  scant_settings settings;
  scant_study *study;
  const scant_study_order *order;
  scant_study_proof proof;
  scant_error error;
  if (count != 2) return 2;
  scant_settings_init(&settings);
  if (scant_settings_set(&settings, "k", "2", &error) ||
      scant_study_create(words[1], &settings, catalogue, 3, "score", &error) ||
      scant_study_open(&study, words[1], SCANT_STUDY_WRITE, NULL, &error) ||
      scant_study_ask(study, "P-001", &order, &error))
    return puts(error.text), 1;
  printf("%s %zu %llu\n", order->example, order->count, (unsigned long long)order->price);
  scant_study_answer answers[] = {{"age", 45, 0}, {"glucose", 5.4, 0}, {"scan", 0.5, 0}, {"score", 11.3, 0}};
  if (scant_study_tell(study, "P-001", answers, 4, &error) || scant_study_find(study, "P-001", &order, &error))
    return puts(error.text), 1;
  printf("%s\n", scant_order_state_name(order->state));
  if (scant_study_verify(study, &proof, &error)) return puts(error.text), 1;
  printf("%llu %d\n", (unsigned long long)proof.events, proof.same_bits);
  scant_study_close(study);
  return 0;
}
