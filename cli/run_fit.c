/* scant fit */
#include <math.h>
#include <string.h>

#include "command.h"
#include "show_errors.h"
#include "interrupt.h"
#include "looks_written.h"
#include "progress.h"
#include "scores.h"

enum { LEARNS = 1, LEARNED };

/* Everything that a fit holds; release frees it all. */
typedef struct {
  arguments *a;
  scant_source *train, *test;
  scant_model *checkpoint; /* the one resumed from */
  scant_fit *fit;
  scant_model *model;
  scant_scores scores;
  int tested;
  double started, seconds;
  int stopped;      /* by the user: the signal */
  int checkpointed; /* this run has written one */
  int learning;     /* 0: not yet; LEARNS; LEARNED from all examples */
  int cut;          /* a signal stopped what the algorithm thought */
  int erring;       /* errors are being made */
  int errors_cut;   /* and a signal stopped that */
  progress progress;
} session;

static void release(session *s) {
  scant_model_free(s->model);
  scant_fit_free(s->fit);
  scant_model_free(s->checkpoint);
  scant_source_free(s->test);
  scant_source_free(s->train);
}

static int check_arguments(arguments *a) {
  scant_error error;
  if (a->own.test && a->settings.run.split > 0)
    return print_usage_failure(a->command, "give --test or --split, not both");
  if (a->own.every && !a->own.checkpoint) return print_usage_failure(a->command, "--every needs --checkpoint");
  if (!a->own.every) a->own.every = 10000;
  if (a->own.test_labels && !a->own.test) return print_usage_failure(a->command, "--test-labels needs --test");
  const own_options *own = &a->own;
  /* --checkpoint may name the file of --resume: the fit then goes on in it */
  const char *const files[] = {a->operands[0],        a->settings.reading.labels,
                               a->settings.run.costs, own->test,
                               own->test_labels,      own->resume,
                               own->checkpoint,       own->output};
  int code = files_check_output(a->command, own->output, files, 7);
  if (code == EXIT_DONE) code = looks_check(a, files, 8);
  if (code == EXIT_DONE) code = files_check_output(a->command, own->checkpoint, files, 5);
  if (code == EXIT_DONE && own->resume && a->settings.run.costs)
    return print_usage_failure(a->command, "--costs does not go with --resume: the checkpoint holds its prices");
  if (code != EXIT_DONE || own->resume) return code; /* the settings then come from the checkpoint */
  scant_settings resolved = a->settings;
  scant_status status = scant_settings_resolve(&resolved, &error);
  return status == SCANT_OK ? EXIT_DONE : print_failure(a->command, status, &error);
}

/* Adds the names of the checkpoint and of the data to the sentence. */
static void explain_resume(const arguments *a, scant_error *error) {
  scant_error inner = *error;
  snprintf(error->text, sizeof error->text, "can't go on from '%.120s' with '%.120s': %.200s", a->own.resume,
           a->operands[0], inner.text);
}

static scant_status open_data(session *s, scant_error *error) {
  arguments *a = s->a;
  if (a->own.resume) {
    scant_status status = scant_model_load(&s->checkpoint, a->own.resume, error);
    if (status == SCANT_OK) status = scant_model_check_settings(s->checkpoint, &a->settings, error);
    if (status != SCANT_OK) return status;
    data_settings_for(&a->settings, s->checkpoint);
  }
  scant_status status = scant_source_open(&s->train, a->operands[0], &a->settings, SCANT_TARGET_REQUIRED, error);
  if (status == SCANT_DATA && s->checkpoint) explain_resume(a, error);
  /* columns that were left out and categories need not be said again; other data are refused below */
  if (status == SCANT_OK && s->checkpoint && scant_model_name(s->checkpoint, 0) && scant_source_name(s->train, 0))
    (void)scant_model_bind(s->checkpoint, s->train, NULL);
  print_note(s->train, SCANT_NOTE_SCAN);
  return status;
}

/* Before the learning a signal ends the command at once.  After it, too, until the library shows that it can stop. */
static int watch(void *user, const scant_thought *thought) {
  session *s = user;
  if (!s->learning) return 0;
  if (s->learning == LEARNED && !interrupt_came()) interrupt_waits(); /* else the next one ends it at once */
  s->learning = LEARNS;
  progress_think(&s->progress, thought);
  int *cut = s->erring ? &s->errors_cut : &s->cut;
  *cut |= interrupt_came() != 0;
  return *cut;
}

/* A checkpoint holds the answers of gaussian, and of no other algorithm. */
static scant_status check_errors(const session *s, scant_error *error) {
  const scant_settings *settings = scant_fit_settings(s->fit);
  const scant_algorithm *algorithm = scant_algorithm_find(settings->learning.algorithm);
  if (!settings->run.errors || !s->a->own.checkpoint || has_word(algorithm->options, "errors-of")) return SCANT_OK;
  snprintf(error->text, sizeof error->text,
           "errors of %s need all purchases at the end, and a checkpoint does not hold them: give --errors or "
           "--checkpoint, not both",
           algorithm->name);
  return SCANT_USAGE;
}

static scant_status open_fit(session *s, scant_error *error) {
  arguments *a = s->a;
  a->settings.runtime.watch = watch;
  a->settings.runtime.watcher = s;
  if (!s->checkpoint) {
    scant_status status = scant_fit_new(&s->fit, &a->settings, s->train, error);
    return status == SCANT_OK ? check_errors(s, error) : status;
  }
  scant_status status = scant_fit_resume(&s->fit, s->checkpoint, &a->settings, s->train, error);
  if (status != SCANT_OK) explain_resume(a, error);
  return status;
}

/* The test file is read like the training file, its columns by name. */
static scant_status open_test(session *s, scant_error *error) {
  arguments *a = s->a;
  if (!a->own.test) return SCANT_OK;
  scant_settings settings = a->settings;
  scant_model *model;
  scant_status status = scant_fit_model(s->fit, 0, &model, error);
  if (status != SCANT_OK) return status;
  data_settings_for(&settings, model);
  settings.reading.labels = a->own.test_labels;
  settings.given = 0;              /* options that fit the training file need not fit this one */
  settings.reading.one_hot = NULL; /* the model has the categories */
  status = files_open_test(&s->test, a->own.test, &settings, error);
  if (status == SCANT_OK) status = scant_model_bind(model, s->test, error);
  scant_model_free(model);
  return status;
}

/* Scores a model on the examples that are held out; `tested` stays 0 if there are none. */
static scant_status score(session *s, const scant_model *model, scant_error *error) {
  size_t count;
  const uint64_t *rows = scant_fit_held_out(s->fit, &count);
  if (s->test) {
    s->tested = 1;
    return scant_model_evaluate(model, s->test, NULL, 0, &s->scores, error);
  }
  if (!count) return SCANT_OK;
  s->tested = 1;
  return scant_model_evaluate(model, s->train, rows, count, &s->scores, error);
}

/* While the fit learns, its model is made for the test only; at the end it is there and scored. */
static scant_status show_progress(session *s, int done, scant_error *error) {
  progress *p = &s->progress;
  const scant_ledger *ledger = scant_fit_ledger(s->fit);
  double test_error = NAN;
  if (s->model) {
    test_error = s->tested ? s->scores.squared_error : NAN;
  } else if (p->with_test && progress_due(p, ledger->examples, done)) {
    scant_model *model;
    scant_status status = scant_fit_model(s->fit, 0, &model, error);
    if (status != SCANT_OK) return status;
    if (!s->cut) status = score(s, model, error);
    scant_model_free(model);
    if (status != SCANT_OK || s->cut) return status; /* what was cut short is not in the table */
    test_error = s->scores.squared_error;
  }
  scant_learner_facts facts;
  scant_fit_get_facts(s->fit, &facts);
  progress_show(p, ledger, &facts, scant_fit_horizon(s->fit), test_error, done);
  return SCANT_OK;
}

static scant_status save_checkpoint(session *s, scant_error *error) {
  scant_model *model;
  scant_status status = scant_fit_model(s->fit, 1, &model, error);
  if (status != SCANT_OK) return status;
  status = scant_model_save(model, s->a->own.checkpoint, error);
  s->checkpointed |= status == SCANT_OK;
  scant_model_free(model);
  return status;
}

/* A fit that fails has paid for what it bought, so its last checkpoint, or the one that it goes on in, must have that
 * in its ledger.  The user is told of the first failure only. */
static void keep_bought(session *s) {
  scant_error unsaid;
  const own_options *own = &s->a->own;
  int goes_on = own->resume && own->checkpoint && files_are_same(own->resume, own->checkpoint);
  if (s->checkpointed || goes_on) (void)save_checkpoint(s, &unsaid);
}

static scant_status begin_looks(session *s, scant_error *error) {
  const own_options *own = &s->a->own;
  if (!own->looks) return SCANT_OK;
  scant_status status = scant_fit_keep_looks(s->fit, own->looks, own->looks_pairs, error);
  if (status == SCANT_OK) looks_begin(s->fit);
  return status;
}

/* Nothing more will be bought. */
static scant_status end_looks(session *s, scant_error *error) {
  scant_status status = s->a->own.looks ? scant_fit_end_looks(s->fit, error) : SCANT_OK;
  looks_done();
  return status;
}

/* After Ctrl-C or SIGTERM the checkpoint, if there is one, keeps what was learned, and the file of looks what was
 * bought for it. */
static scant_status stop_early(session *s, scant_error *error) {
  const char *path = s->a->own.checkpoint;
  if (path) {
    scant_status status = save_checkpoint(s, error);
    if (status == SCANT_OK) status = end_looks(s, error);
    if (status != SCANT_OK) return status;
  }
  s->stopped = interrupt_came();
  if (path)
    snprintf(error->text, sizeof error->text, "interrupted after %llu examples; --resume '%.300s' goes on",
             (unsigned long long)scant_fit_ledger(s->fit)->examples, path);
  else
    snprintf(error->text, sizeof error->text, "interrupted after %llu examples; nothing is kept without --checkpoint",
             (unsigned long long)scant_fit_ledger(s->fit)->examples);
  return SCANT_SPENT; /* this is no failure of the library: run_fit looks at `stopped` */
}

static scant_status learn(session *s, scant_error *error) {
  arguments *a = s->a;
  progress *p = &s->progress;
  size_t held_out;
  scant_fit_held_out(s->fit, &held_out);
  /* a dense algorithm that looks at everything would be solved anew for each line of the table */
  const scant_algorithm *algorithm = scant_algorithm_find(scant_fit_settings(s->fit)->learning.algorithm);
  progress_start(p, a->own.quiet, (s->test || held_out) && !(algorithm->whole && algorithm->dense));
  interrupt_waits();
  s->learning = LEARNS;
  const scant_ledger *ledger = scant_fit_ledger(s->fit);
  uint64_t saved = ledger->examples;
  int done = 0, warned = 0;
  while (!done) {
    uint64_t stride = progress_stride(p, ledger->examples), left = a->own.every - (ledger->examples - saved);
    if (a->own.checkpoint && left < stride) stride = left;
    if (stride > 4096) stride = 4096; /* Ctrl-C should not wait */
    scant_status status = scant_fit_advance(s->fit, stride, &done, error);
    if (status == SCANT_STOPPED) return stop_early(s, error);
    if (status != SCANT_OK) keep_bought(s);
    if (status == SCANT_OK && a->own.checkpoint && (done || ledger->examples - saved >= a->own.every)) {
      status = save_checkpoint(s, error);
      saved = ledger->examples;
    }
    /* the last row is of the finished model */
    if (status == SCANT_OK && !done) status = show_progress(s, 0, error);
    if (status != SCANT_OK) return status;
    if (interrupt_came() && !done) return stop_early(s, error);
    const char *warning = scant_fit_warning(s->fit);
    if (warning && !warned) progress_interrupt(p, print_warning, warning);
    warned = warning != NULL;
  }
  scant_status status = end_looks(s, error);
  interrupt_ends(a->command); /* a dense algorithm may still solve for long */
  s->learning = LEARNED;
  s->started = p->started;
  return status;
}

static double mean_bought(const scant_ledger *ledger) {
  return ledger->distinct_examples ? (double)ledger->attributes_bought / (double)ledger->distinct_examples : 0;
}

static int is_certified(const scant_certificate *certificate) {
  return isfinite(certificate->gap) || isfinite(certificate->kkt);
}

static void put_ledger(json *out, const session *s) {
  const scant_ledger *ledger = scant_model_ledger(s->model);
  json_count(out, "looks_drawn", ledger->looks_drawn);
  json_count(out, "attributes_bought", ledger->attributes_bought);
  json_count(out, "max_bought_per_example", ledger->max_bought_per_example);
  json_count(out, "missing_cells", ledger->missing_cells);
  json_count(out, "skipped_examples", ledger->skipped_examples);
  json_real(out, "mean_bought_per_example", mean_bought(ledger));
  if (scant_model_prices(s->model)) json_money(out, "money_spent", ledger->money_spent);
  json_flag(out, "budget_spent", scant_fit_budget_spent(s->fit));
}

static void put_learner(json *out, const session *s) {
  const scant_settings *settings = scant_model_settings(s->model);
  const scant_algorithm *algorithm = scant_algorithm_find(settings->learning.algorithm);
  scant_learner_facts facts;
  scant_fit_get_facts(s->fit, &facts);
  /* an algorithm without a ball has no radius */
  json_real(out, "radius", has_word(algorithm->options, "radius") ? settings->learning.radius : NAN);
  json_real(out, "eta", scant_model_eta(s->model));
  json_real(out, "penalty", scant_model_penalty(s->model));
  const scant_certificate *certificate = &facts.certificate;
  if (isfinite(certificate->gap))
    json_real(out, "gap", certificate->gap);
  else if (isfinite(certificate->kkt))
    json_real(out, "kkt", certificate->kkt);
  if (is_certified(certificate)) json_real(out, "lambda", certificate->lambda);
  json_real(out, "risk", facts.risk);
  json_real(out, "risk_error", facts.risk_error);
  json_real(out, "scale", facts.scale);
}

static scant_status print_json(const session *s, scant_error *error) {
  const scant_settings *settings = scant_model_settings(s->model);
  json out = {0};
  json_open(&out, NULL, '{');
  json_text(&out, "algorithm", settings->learning.algorithm);
  json_text(&out, "algorithm_why", scant_fit_choice(s->fit));
  json_count(&out, "dimension", scant_model_dimension(s->model));
  json_count(&out, "examples", scant_model_ledger(s->model)->examples);
  json_count(&out, "k", settings->learning.k);
  put_ledger(&out, s);
  put_learner(&out, s);
  errors_put(&out, s->model);
  json_count(&out, "seed", settings->learning.seed);
  json_count(&out, "bytes_read", scant_source_bytes_read(s->train));
  json_fixed(&out, "seconds", s->seconds, 6);
  if (s->tested) {
    json_open(&out, "test", '{');
    scores_put(&out, &s->scores, 0, settings->reading.log_target);
    json_close(&out);
  }
  json_close(&out);
  return json_print(&out, error);
}

static void print_certificate(const session *s, double radius) {
  scant_learner_facts facts;
  scant_fit_get_facts(s->fit, &facts);
  if (isfinite(facts.certificate.gap))
    printf("certificate: duality gap %.2g at radius %g\n", facts.certificate.gap, radius);
  else if (isfinite(facts.certificate.kkt))
    printf("certificate: KKT violation %.2g at radius %g\n", facts.certificate.kkt, radius);
}

static void print_risk(const session *s) {
  scant_learner_facts facts;
  scant_fit_get_facts(s->fit, &facts);
  if (!isfinite(facts.risk)) return;
  printf("risk: %.5g", facts.risk);
  if (isfinite(facts.risk_error)) printf(" +- %.3g", facts.risk_error);
  printf(" by its own looks\n");
}

/* Tells of weights that would not have been surely better than the mean. */
static void print_shrunk(const session *s) {
  scant_learner_facts facts;
  scant_fit_get_facts(s->fit, &facts);
  if (facts.scale < 1)
    printf(
        "note: the weights are %.2g times what was learned: by the fit's own estimate, all of it would not surely "
        "predict better than the mean\n",
        facts.scale);
}

static void print_summary(const session *s) {
  const scant_ledger *ledger = scant_model_ledger(s->model);
  const scant_settings *settings = scant_model_settings(s->model);
  double mean = mean_bought(ledger);
  printf("%s: %llu examples, %llu looks, %llu attributes bought (%.4g of %zu per example, at most %llu)%s\n",
         settings->learning.algorithm, (unsigned long long)ledger->examples, (unsigned long long)ledger->looks_drawn,
         (unsigned long long)ledger->attributes_bought, mean, scant_model_dimension(s->model),
         (unsigned long long)ledger->max_bought_per_example,
         scant_fit_budget_spent(s->fit) ? "; the budget is spent" : "");
  if (scant_fit_choice(s->fit))
    printf("default: %s, since %s\n", settings->learning.algorithm, scant_fit_choice(s->fit));
  if (scant_model_prices(s->model)) printf("money: %.2f spent\n", (double)ledger->money_spent / 100);
  if (ledger->missing_cells) printf("missing: %llu cells", (unsigned long long)ledger->missing_cells);
  if (ledger->skipped_examples) printf(", so %llu examples were skipped", (unsigned long long)ledger->skipped_examples);
  if (ledger->missing_cells) printf("\n");
  if (ledger->refused_examples)
    printf(
        "the budget ended within %llu example%s: the last purchases are charged, but nothing was learned from them\n",
        (unsigned long long)ledger->refused_examples, ledger->refused_examples > 1 ? "s" : "");
  print_certificate(s, settings->learning.radius);
  print_risk(s);
  print_shrunk(s);
  errors_print(s->model);
  if (s->tested) {
    printf("test: squared error %.6g, absolute error %.6g", s->scores.squared_error, s->scores.absolute_error);
    if (isfinite(s->scores.r2)) printf(", R^2 %.4f", s->scores.r2);
    if (isfinite(s->scores.accuracy)) printf(", accuracy %.4f", s->scores.accuracy);
    printf(" on %llu examples%s\n", (unsigned long long)s->scores.examples,
           settings->reading.log_target ? ", of log(1 + y)" : "");
  }
  looks_print(s->a);
  if (s->a->own.output)
    printf("model: %s\n", s->a->own.output);
  else
    printf("the model was not kept: give -o MODEL to keep it\n");
}

static int has_weights(const scant_model *model) {
  const double *w = scant_model_weights(model);
  for (size_t i = 0; i < scant_model_dimension(model); i++)
    if (w[i] != 0) return 1;
  return 0;
}

/* Warns of a fit that learned nothing useful. */
static void warn_of_little(const session *s) {
  const scant_settings *settings = scant_fit_settings(s->fit);
  scant_learner_facts facts;
  char text[256];
  if (!scant_fit_ledger(s->fit)->examples)
    print_warning("the budget does not pay for one example: nothing was learned");
  else if (!has_weights(s->model))
    print_warning(
        "every weight is 0, so every prediction is the same: there were too few examples, or no attribute varies with "
        "the "
        "target");
  if (settings->learning.loss == SCANT_LOSS_HINGE || settings->learning.loss == SCANT_LOSS_LOGISTIC) return;
  scant_fit_get_facts(s->fit, &facts);
  if (!(facts.target_variance > 0 && facts.risk - 3 * facts.risk_error > facts.target_variance)) return;
  snprintf(text, sizeof text,
           "the risk, %.4g +- %.2g, is above the variance of the target, %.4g: a constant predicts better; try other "
           "settings or the default algorithm",
           facts.risk, facts.risk_error, facts.target_variance);
  print_warning(text);
}

static void warn_missing(const session *s) {
  scant_error warning;
  if (scant_fit_missing_warning(s->fit, &warning)) print_warning(warning.text);
  print_note(s->train, SCANT_NOTE_UNLISTED);
  print_note(s->test, SCANT_NOTE_UNLISTED);
  warn_of_little(s);
}

/* A dense algorithm is solved here, and only then knows its risk. */
static scant_status make_model(session *s, scant_error *error) {
  scant_status status = scant_fit_model(s->fit, 0, &s->model, error);
  s->seconds = progress_clock() - s->started;
  interrupt_ends(s->a->command);
  if (status == SCANT_OK) status = score(s, s->model, error);
  scant_error unsaid;
  if (status == SCANT_OK || s->progress.terminal) (void)show_progress(s, 1, &unsaid);
  return status;
}

/* The model is there: whatever fails, it is kept without errors. */
static void make_errors(session *s) {
  scant_error error;
  char text[SCANT_ERROR_LENGTH + 64];
  if (!scant_fit_settings(s->fit)->run.errors) return;
  s->erring = 1;
  s->learning = LEARNED;
  scant_status status = s->cut ? SCANT_STOPPED : scant_fit_errors(s->fit, s->model, &error);
  interrupt_ends(s->a->command);
  progress_clear(&s->progress);
  s->seconds = progress_clock() - s->started;
  if (status == SCANT_OK || status == SCANT_STOPPED) return;
  snprintf(text, sizeof text, "the model has no errors: %s", error.text);
  print_warning(text);
}

/* Says so after errors that were told to stop; returns the exit code. */
static int print_errors_cut(const session *s) {
  scant_error error;
  snprintf(error.text, sizeof error.text, "interrupted while errors were made: the model has none");
  print_failure(s->a->command, SCANT_STOPPED, &error);
  return EXIT_SIGNAL + interrupt_came();
}

/* Says so after a fit that thought until it was told to stop; returns the exit code. */
static int print_cut(const session *s) {
  scant_error error;
  const char *path = s->a->own.checkpoint;
  int length =
      snprintf(error.text, sizeof error.text, "interrupted while it was thinking: this is the best that it had found");
  if (path)
    snprintf(error.text + length, sizeof error.text - (size_t)length, "; --resume '%.300s' thinks to the end", path);
  print_failure(s->a->command, SCANT_STOPPED, &error);
  return EXIT_SIGNAL + interrupt_came();
}

static scant_status run(session *s, scant_error *error) {
  scant_status status = open_data(s, error);
  if (status == SCANT_OK) status = open_fit(s, error);
  if (status == SCANT_OK) status = open_test(s, error);
  if (status == SCANT_OK) status = begin_looks(s, error);
  if (status == SCANT_OK) status = learn(s, error);
  if (status == SCANT_OK) status = make_model(s, error);
  if (status == SCANT_OK) make_errors(s);
  if (status == SCANT_OK) warn_missing(s);
  if (status == SCANT_OK && s->a->own.output) status = scant_model_save(s->model, s->a->own.output, error);
  return status;
}

int run_fit(arguments *a) {
  int code = check_arguments(a);
  if (code != EXIT_DONE) return code;
  session s = {.a = a};
  scant_error error;
  scant_status status = run(&s, &error);
  if (status == SCANT_OK && a->own.json) status = print_json(&s, &error);
  if (status == SCANT_OK && !a->own.json) print_summary(&s);
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
    if (s.fit && !s.stopped) print_bought(scant_fit_ledger(s.fit));
    if (s.stopped) code = EXIT_SIGNAL + s.stopped;
  } else {
    code = print_end(a->command);
    if (code == EXIT_DONE && s.cut) code = print_cut(&s);
    if (code == EXIT_DONE && s.errors_cut) code = print_errors_cut(&s);
  }
  release(&s);
  return code;
}
