/* scant fit */
#include <math.h>

#include "fit_session.h"
#include "model_report.h"
#include "front/interrupt.h"

static void release(fit_session *s) {
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

static scant_status open_data(fit_session *s, scant_error *error) {
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
  fit_session *s = user;
  if (!s->learning) return 0;
  if (s->learning == LEARNED && !interrupt_came()) interrupt_waits(); /* else the next one ends it at once */
  s->learning = LEARNS;
  progress_think(&s->progress, thought);
  int *cut = s->erring ? &s->errors_cut : &s->cut;
  *cut |= interrupt_came() != 0;
  return *cut;
}

/* A checkpoint holds the answers of gaussian, and of no other algorithm. */
static scant_status check_errors(const fit_session *s, scant_error *error) {
  const scant_settings *settings = scant_fit_settings(s->fit);
  const scant_algorithm *algorithm = scant_algorithm_find(settings->learning.algorithm);
  if (!settings->run.errors || !s->a->own.checkpoint || scant_algorithm_takes(algorithm, "errors-of")) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE,
                    "errors of %s need all purchases at the end, and a checkpoint does not hold them: give --errors or "
                    "--checkpoint, not both",
                    algorithm->name);
}

static scant_status open_fit(fit_session *s, scant_error *error) {
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
static scant_status open_test(fit_session *s, scant_error *error) {
  arguments *a = s->a;
  if (!a->own.test) return SCANT_OK;
  scant_settings settings = a->settings;
  scant_model *model;
  SCANT_TRY(scant_fit_model(s->fit, 0, &model, error));
  data_settings_for(&settings, model);
  settings.reading.labels = a->own.test_labels;
  settings.given = 0;              /* options that fit the training file need not fit this one */
  settings.reading.one_hot = NULL; /* the model has the categories */
  scant_status status = files_open_test(&s->test, a->own.test, &settings, error);
  if (status == SCANT_OK) status = scant_model_bind(model, s->test, error);
  scant_model_free(model);
  return status;
}

/* Scores a model on the examples that are held out; `tested` stays 0 if there are none. */
static scant_status score(fit_session *s, const scant_model *model, scant_error *error) {
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
static scant_status show_progress(fit_session *s, int done, scant_error *error) {
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

static scant_status save_checkpoint(fit_session *s, scant_error *error) {
  scant_model *model;
  SCANT_TRY(scant_fit_model(s->fit, 1, &model, error));
  scant_status status = scant_model_save(model, s->a->own.checkpoint, error);
  s->checkpointed |= status == SCANT_OK;
  scant_model_free(model);
  return status;
}

/* A fit that fails has paid for what it bought, so its last checkpoint, or the one that it goes on in, must have that
 * in its ledger.  The user is told of the first failure only. */
static void keep_bought(fit_session *s) {
  scant_error unsaid;
  const own_options *own = &s->a->own;
  int goes_on = own->resume && own->checkpoint && files_are_same(own->resume, own->checkpoint);
  if (s->checkpointed || goes_on) (void)save_checkpoint(s, &unsaid);
}

static scant_status begin_looks(fit_session *s, scant_error *error) {
  const own_options *own = &s->a->own;
  if (!own->looks) return SCANT_OK;
  scant_status status = scant_fit_keep_looks(s->fit, own->looks, own->looks_pairs, error);
  if (status == SCANT_OK) looks_begin(s->fit);
  return status;
}

/* Nothing more will be bought. */
static scant_status end_looks(fit_session *s, scant_error *error) {
  scant_status status = s->a->own.looks ? scant_fit_end_looks(s->fit, error) : SCANT_OK;
  looks_done();
  return status;
}

/* After Ctrl-C or SIGTERM the checkpoint, if there is one, keeps what was learned, and the file of looks what was
 * bought for it. */
static scant_status stop_early(fit_session *s, scant_error *error) {
  const char *path = s->a->own.checkpoint;
  unsigned long long examples = scant_fit_ledger(s->fit)->examples;
  if (path) SCANT_TRY(save_checkpoint(s, error));
  if (path) SCANT_TRY(end_looks(s, error));
  s->stopped = interrupt_came();
  /* this is no failure of the library: run_fit looks at `stopped` */
  if (path)
    return scant_fail(error, SCANT_SPENT, "interrupted after %llu examples; --resume '%.300s' goes on", examples, path);
  return scant_fail(error, SCANT_SPENT, "interrupted after %llu examples; nothing is kept without --checkpoint",
                    examples);
}

static scant_status learn(fit_session *s, scant_error *error) {
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
    scant_error warning;
    int warns = scant_fit_say(s->fit, NULL, SCANT_FIT_THEOREM, &warning);
    if (warns && !warned) progress_clear(p);
    if (warns && !warned) print_warning("%s", warning.text);
    warned = warns;
  }
  scant_status status = end_looks(s, error);
  interrupt_ends(a->command); /* a dense algorithm may still solve for long */
  s->learning = LEARNED;
  s->started = p->started;
  return status;
}

/* A dense algorithm is solved here, and only then knows its risk. */
static scant_status make_model(fit_session *s, scant_error *error) {
  scant_status status = scant_fit_model(s->fit, 0, &s->model, error);
  s->seconds = progress_clock() - s->started;
  interrupt_ends(s->a->command);
  if (status == SCANT_OK) status = score(s, s->model, error);
  scant_error unsaid;
  if (status == SCANT_OK || s->progress.terminal) (void)show_progress(s, 1, &unsaid);
  return status;
}

/* The model is there: whatever fails, it is kept without errors. */
static void make_errors(fit_session *s) {
  scant_error error;
  if (!scant_fit_settings(s->fit)->run.errors) return;
  s->erring = 1;
  s->learning = LEARNED;
  scant_status status = s->cut ? SCANT_STOPPED : scant_fit_errors(s->fit, s->model, &error);
  interrupt_ends(s->a->command);
  progress_clear(&s->progress);
  s->seconds = progress_clock() - s->started;
  if (status != SCANT_OK && status != SCANT_STOPPED) print_warning("the model has no errors: %s", error.text);
}

/* Says so after a fit that thought, or made errors, until it was told to stop; returns the exit code. */
static int print_cut(const fit_session *s) {
  scant_error error;
  const char *path = s->a->own.checkpoint;
  if (!s->cut)
    scant_error_write(&error, "interrupted while errors were made: the model has none");
  else
    scant_error_write(&error, "interrupted while it was thinking: this is the best that it had found%s%.300s%s",
                      path ? "; --resume '" : "", path ? path : "", path ? "' thinks to the end" : "");
  print_failure(s->a->command, SCANT_STOPPED, &error);
  return EXIT_SIGNAL + interrupt_came();
}

static scant_status run(fit_session *s, scant_error *error) {
  scant_status status = open_data(s, error);
  if (status == SCANT_OK) status = open_fit(s, error);
  if (status == SCANT_OK) status = open_test(s, error);
  if (status == SCANT_OK) status = begin_looks(s, error);
  if (status == SCANT_OK) status = learn(s, error);
  if (status == SCANT_OK) status = make_model(s, error);
  if (status == SCANT_OK) make_errors(s);
  if (status == SCANT_OK) fit_warn(s);
  if (status == SCANT_OK && s->a->own.output) status = scant_model_save(s->model, s->a->own.output, error);
  return status;
}

int run_fit(arguments *a) {
  int code = check_arguments(a);
  if (code != EXIT_DONE) return code;
  fit_session s = {.a = a};
  scant_error error;
  scant_status status = run(&s, &error);
  if (status == SCANT_OK && a->own.json) status = fit_print_json(&s, &error);
  if (status == SCANT_OK && !a->own.json) fit_print(&s);
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
    if (s.fit && !s.stopped) print_bought(scant_fit_ledger(s.fit));
    if (s.stopped) code = EXIT_SIGNAL + s.stopped;
  } else {
    code = print_end(a->command);
    if (code == EXIT_DONE && (s.cut || s.errors_cut)) code = print_cut(&s);
  }
  release(&s);
  return code;
}
