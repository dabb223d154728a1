/* scant tune */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/command.h"
#include "model_report.h"
#include "front/progress.h"

enum { CANDIDATES_MOST = 256, LABEL_LENGTH = 128, OPTIONS_MOST = 8 };

typedef struct {
  arguments *a;
  char *words; /* the text of the grid; names and values point into it */
  size_t count;
  char label[CANDIDATES_MOST][LABEL_LENGTH];
  scant_settings settings[CANDIDATES_MOST];
  scant_source *source;
  scant_tune *tune;
  scant_model *model;
  scant_scores scores;
  int tested;
} session;

/* ---- the grid ---------------------------------------------------------------- */

typedef struct {
  const char *name;
  char *values[CANDIDATES_MOST];
  size_t count;
} axis;

/* Reads "eta=1,2 radius=3" into axes; EXIT_USAGE, with a sentence, if it is wrong. */
static int cut_grid(session *s, axis *axes, size_t *count) {
  const command *c = s->a->command;
  char *rest = NULL, *inner = NULL;
  *count = 0;
  for (char *word = strtok_r(s->words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '=');
    if (!equals || equals == word || !equals[1])
      return print_usage_failure(c, "'%s' in the grid is not name=value,value", word);
    if (*count == OPTIONS_MOST) return print_usage_failure(c, "the grid has more than %d options", OPTIONS_MOST);
    *equals = 0;
    const scant_option *o = scant_option_find(word);
    if (!o || !(o->scope & SCANT_SCOPE_LEARNER))
      return print_usage_failure(c, "'%s' in the grid is not an option of an algorithm", word);
    if (!strcmp(word, "spend") || !strcmp(word, "thrift"))
      return print_usage_failure(c, "'%s' can't be in the grid: the candidates share what is bought", word);
    for (size_t i = 0; i < *count; i++)
      if (!strcmp(axes[i].name, o->name)) return print_usage_failure(c, "'%s' is twice in the grid", word);
    axis *x = &axes[(*count)++];
    *x = (axis){.name = o->name};
    for (char *value = strtok_r(equals + 1, ",", &inner); value; value = strtok_r(NULL, ",", &inner)) {
      if (x->count == CANDIDATES_MOST) return print_usage_failure(c, "the grid is too large");
      x->values[x->count++] = value;
    }
    if (!x->count) return print_usage_failure(c, "'%s' has no values in the grid", x->name);
  }
  return *count ? EXIT_DONE : print_usage_failure(c, "the grid is empty");
}

/* The table says which algorithms can be tuned: those that have a grid. */
static int refuse_algorithm(const command *c, const char *name) {
  char names[256] = "";
  const scant_algorithm *other;
  for (size_t i = 0; (other = scant_algorithm_at(i)); i++) {
    size_t used = strlen(names);
    if (other->grid) snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", other->name);
  }
  return print_usage_failure(c, "%s can't be tuned, since its looks can't be shared; these can: %s", name, names);
}

/* The candidates are the settings as given and every point of the grid. */
static int make_candidates(session *s) {
  const command *c = s->a->command;
  if (!strcmp(s->a->settings.learning.algorithm, SCANT_DEFAULT_ALGORITHM))
    s->a->settings.learning.algorithm = scant_default_algorithm(SCANT_DEFAULT_STREAMING)->name;
  const scant_algorithm *algorithm = scant_algorithm_find(s->a->settings.learning.algorithm);
  const char *grid = s->a->own.grid ? s->a->own.grid : algorithm ? algorithm->grid : NULL;
  scant_error error;
  axis *axes = calloc(OPTIONS_MOST, sizeof *axes);
  size_t count = 0, points = 1;
  snprintf(s->label[0], LABEL_LENGTH, "as given");
  s->settings[0] = s->a->settings;
  s->count = 1;
  s->words = strdup(grid ? grid : "");
  int code = axes && s->words ? EXIT_DONE : EXIT_OTHER;
  if (code == EXIT_DONE && algorithm && !grid) code = refuse_algorithm(c, algorithm->name);
  if (code == EXIT_DONE && algorithm) code = cut_grid(s, axes, &count);
  for (size_t i = 0; code == EXIT_DONE && i < count; i++) points *= axes[i].count;
  if (code == EXIT_DONE && points > CANDIDATES_MOST - 1)
    code = print_usage_failure(c, "the grid has %zu points, more than %d", points, CANDIDATES_MOST - 1);
  for (size_t p = 0; code == EXIT_DONE && algorithm && p < points; p++) {
    scant_settings *settings = &s->settings[s->count];
    char *label = s->label[s->count++];
    size_t place = p, used = 0;
    *settings = s->a->settings;
    for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
      const char *value = axes[i].values[place % axes[i].count];
      place /= axes[i].count;
      if (used < LABEL_LENGTH)
        used += (size_t)snprintf(label + used, LABEL_LENGTH - used, "%s%s=%s", i ? " " : "", axes[i].name, value);
      if (scant_settings_set(settings, axes[i].name, value, &error) != SCANT_OK)
        code = print_failure(c, SCANT_USAGE, &error);
    }
  }
  free(axes);
  return code;
}

/* ---- results ------------------------------------------------------------------- */

static void put_ledger(scant_json_writer *out, const session *s) {
  const scant_fit *fit = scant_tune_fit(s->tune);
  const scant_ledger *ledger = scant_fit_ledger(fit);
  scant_json_count(out, "examples", ledger->examples);
  scant_json_count(out, "k", scant_fit_settings(fit)->learning.k);
  scant_json_count(out, "looks_drawn", ledger->looks_drawn);
  scant_json_count(out, "attributes_bought", ledger->attributes_bought);
  scant_json_count(out, "max_bought_per_example", ledger->max_bought_per_example);
  if (scant_model_prices(s->model)) scant_json_money(out, "money_spent", ledger->money_spent);
  scant_json_count(out, "missing_cells", ledger->missing_cells);
  scant_json_count(out, "skipped_examples", ledger->skipped_examples);
  scant_json_flag(out, "budget_spent", scant_fit_budget_spent(fit));
}

static void put_candidate(scant_json_writer *out, const session *s, size_t index) {
  scant_candidate c;
  scant_tune_candidate(s->tune, index, &c);
  scant_json_open(out, NULL, '{');
  scant_json_text(out, "candidate", s->label[index]);
  scant_json_real(out, "risk", c.risk);
  scant_json_real(out, "risk_error", c.risk_error);
  scant_json_real(out, "difference", c.difference);
  scant_json_real(out, "difference_error", c.difference_error);
  scant_json_flag(out, "failed", c.failed);
  scant_json_close(out);
}

static scant_status print_json(const session *s, scant_error *error) {
  const scant_settings *settings = scant_fit_settings(scant_tune_fit(s->tune));
  scant_json_writer out = document_begin();
  scant_json_text(&out, "algorithm", settings->learning.algorithm);
  scant_json_text(&out, "chosen", s->label[scant_tune_leader(s->tune)]);
  put_ledger(&out, s);
  errors_put(&out, s->model);
  scant_json_count(&out, "seed", settings->learning.seed);
  scant_json_open(&out, "candidates", '[');
  for (size_t i = 0; i < s->count; i++) put_candidate(&out, s, i);
  scant_json_close(&out);
  if (s->tested) {
    scant_json_open(&out, "test", '{');
    scores_put(&out, &s->scores, 1, settings->reading.log_target);
    scant_json_close(&out);
  }
  return document_print(&out, SCANT_OK, error);
}

static void print_table(const session *s) {
  const scant_ledger *ledger = scant_fit_ledger(scant_tune_fit(s->tune));
  size_t leader = scant_tune_leader(s->tune);
  printf("  %-32s %12s %10s %12s %10s\n", "candidate", "risk", "+-", "difference", "+-");
  for (size_t i = 0; i < s->count; i++) {
    scant_candidate c;
    scant_tune_candidate(s->tune, i, &c);
    printf("%c %-32s", i == leader ? '*' : ' ', s->label[i]);
    if (c.failed)
      printf(" %12s", "overflowed");
    else
      printf(" %12.6g %10.2g", c.risk, c.risk_error);
    if (i && !c.failed) printf(" %12.4g %10.2g", c.difference, c.difference_error);
    printf("\n");
  }
  printf("chosen: %s\n", s->label[leader]);
  printf("%llu examples, %llu attributes bought (at most %llu of an example) by all candidates together%s\n",
         (unsigned long long)ledger->examples, (unsigned long long)ledger->attributes_bought,
         (unsigned long long)ledger->max_bought_per_example,
         scant_fit_budget_spent(scant_tune_fit(s->tune)) ? "; the budget is spent" : "");
  if (scant_model_prices(s->model)) printf("money: %.2f spent\n", (double)ledger->money_spent / 100);
  if (ledger->missing_cells)
    printf("missing: %llu cells, %llu examples skipped\n", (unsigned long long)ledger->missing_cells,
           (unsigned long long)ledger->skipped_examples);
  errors_print(s->model);
  if (s->tested) scores_print(&s->scores, s->a->settings.reading.log_target);
  looks_print(s->a);
  if (s->a->own.output) printf("model: %s\n", s->a->own.output);
}

/* ---- the run --------------------------------------------------------------------- */

static scant_status learn(session *s, scant_error *error) {
  const scant_fit *fit = scant_tune_fit(s->tune);
  const scant_ledger *ledger = scant_fit_ledger(fit);
  progress p;
  progress_start(&p, s->a->own.quiet, 0);
  for (int done = 0; !done;) {
    uint64_t stride = progress_stride(&p, ledger->examples);
    SCANT_TRY(scant_tune_advance(s->tune, stride > 4096 ? 4096 : stride, &done, error));
    scant_candidate c;
    scant_tune_candidate(s->tune, scant_tune_leader(s->tune), &c);
    scant_learner_facts facts = {.risk = c.risk, .risk_error = c.risk_error, .likelihood = NAN};
    progress_show(&p, ledger, &facts, scant_fit_horizon(fit), NAN, done);
  }
  return SCANT_OK;
}

/* The model is there: whatever fails, it is kept without errors. */
static void make_errors(session *s) {
  scant_error error;
  if (!s->a->settings.run.errors) return;
  if (scant_tune_errors(s->tune, scant_tune_leader(s->tune), s->model, &error) == SCANT_OK) return;
  print_warning("the model has no errors: %s", error.text);
}

static scant_status run(session *s, scant_error *error) {
  arguments *a = s->a;
  size_t held_out = 0;
  scant_status status = scant_source_open(&s->source, a->operands[0], &a->settings, SCANT_TARGET_REQUIRED, error);
  print_note(s->source, SCANT_NOTE_SCAN);
  if (status == SCANT_OK) status = scant_tune_new(&s->tune, s->settings, s->count, s->source, error);
  if (status == SCANT_OK && a->own.looks) {
    status = scant_tune_keep_looks(s->tune, a->own.looks, a->own.looks_pairs, error);
    if (status == SCANT_OK) looks_begin(scant_tune_fit(s->tune));
  }
  if (status == SCANT_OK) status = learn(s, error);
  if (status == SCANT_OK && a->own.looks) status = scant_tune_end_looks(s->tune, error);
  looks_done();
  if (status == SCANT_OK) status = scant_tune_model(s->tune, scant_tune_leader(s->tune), &s->model, error);
  /* a signal ends the command at once: then the model is there without errors */
  if (status == SCANT_OK && a->own.output && a->settings.run.errors)
    status = scant_model_save(s->model, a->own.output, error);
  if (status != SCANT_OK) return status;
  make_errors(s);
  const uint64_t *rows = scant_fit_held_out(scant_tune_fit(s->tune), &held_out);
  s->tested = held_out > 0;
  if (s->tested) status = scant_model_evaluate(s->model, s->source, rows, held_out, &s->scores, error);
  print_note(s->source, SCANT_NOTE_UNLISTED);
  if (status == SCANT_OK && a->own.output) status = scant_model_save(s->model, a->own.output, error);
  return status;
}

int run_tune(arguments *a) {
  const char *files[] = {a->operands[0], a->settings.reading.labels, a->settings.run.costs, a->own.output};
  int code = files_check_output(a->command, a->own.output, files, 3);
  if (code == EXIT_DONE) code = looks_check(a, files, 4);
  session *s = code == EXIT_DONE ? calloc(1, sizeof *s) : NULL;
  if (!s) return code == EXIT_DONE ? EXIT_OTHER : code;
  s->a = a;
  code = make_candidates(s);
  scant_error error;
  scant_status status = code == EXIT_DONE ? run(s, &error) : SCANT_OK;
  int made = code == EXIT_DONE && status == SCANT_OK;
  if (made && a->own.json) status = print_json(s, &error);
  if (made && !a->own.json) print_table(s);
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
    if (s->tune) print_bought(scant_fit_ledger(scant_tune_fit(s->tune)));
  } else if (made) {
    code = print_end(a->command);
  }
  scant_model_free(s->model);
  scant_tune_free(s->tune);
  scant_source_free(s->source);
  free(s->words);
  free(s);
  return code;
}
