/* Amendments: settings and catalogue change while the study runs. */
#include <stdarg.h>

#include "study.h"

static const char *const amendable[] = {"k", "spend", "budget", "budget-cost", "max-open", NULL};

static int is_amendable(const char *name) {
  for (size_t i = 0; amendable[i]; i++)
    if (!strcmp(amendable[i], name)) return 1;
  return 0;
}

/* Old looks are told to the new learner, so its estimates must not depend on what K and the attributes were. */
static scant_status check_looks(const scant_study *s, const scant_study *fresh, scant_error *error) {
  if (study_algorithm(fresh)->priced) return SCANT_OK;
  int grows = fresh->dimension != s->dimension;
  if (!grows && fresh->settings.learning.k == s->settings.learning.k) return SCANT_OK;
  return scant_fail(
      error, SCANT_USAGE,
      "%s: the estimates of %s are made for one %s; those of auto, ridge, lasso, svr and gaussian are not",
      grows ? "attributes can't be added" : "k can't be amended", s->settings.learning.algorithm,
      grows ? "number of attributes" : "k");
}

static scant_status check_budgets(const scant_study *s, const scant_study *fresh, scant_error *error) {
  uint64_t held = s->tip.totals.spent + s->tip.totals.reserved, bought = s->tip.totals.attributes;
  uint64_t money = (uint64_t)llround(100 * fresh->settings.run.budget_cost);
  if (money && money < held)
    return scant_fail(error, SCANT_USAGE, "budget-cost %.2f is below what is spent or reserved already, %.2f",
                      (double)money / 100, (double)held / 100);
  if (fresh->settings.run.budget && fresh->settings.run.budget < bought)
    return scant_fail(error, SCANT_USAGE,
                      "budget %" PRIu64 " is below the attributes that are spent or reserved already, %" PRIu64,
                      fresh->settings.run.budget, bought);
  return SCANT_OK;
}

/* In the open transaction.  *swapped: the terms in memory are the new ones, and those before are in `fresh`. */
static scant_status amend(scant_study *s, scant_study *fresh, const char *change, const char *reason, int *swapped,
                          scant_error *error) {
  scant_study_event event = study_event(SCANT_EVENT_AMEND, NULL, 0);
  event.reason = reason;
  event.change = change;
  SCANT_TRY(study_write_terms(s, change, error));
  SCANT_TRY(study_append(s, &event, error));
  SCANT_TRY(study_read_terms_into(s, fresh, error));
  SCANT_TRY(check_looks(s, fresh, error));
  SCANT_TRY(check_budgets(s, fresh, error));
  study_swap_terms(s, fresh);
  *swapped = 1;
  SCANT_TRY(study_relearn(s, error)); /* the event itself seeds the generator anew */
  return study_keep_learner(s, error);
}

scant_status study_amend_terms(scant_study *study, const char *change, const char *reason, int trial,
                               scant_error *error) {
  scant_study *s = study, *fresh = study_new(&s->settings);
  uint64_t kept = s->kept;
  int swapped = 0;
  if (!fresh) return scant_fail_memory(error);
  scant_status status = study_begin(s, error);
  if (status == SCANT_OK) {
    status = amend(s, fresh, change, reason, &swapped, error);
    if (status == SCANT_OK && trial) {
      study_swap_terms(s, fresh); /* before anything can fail */
      swapped = 0;
      status = study_take_step_back(s, 1, error);
      s->kept = kept;
    } else {
      status = study_end(s, status, 1, error);
    }
  }
  if (status == SCANT_OK && swapped) s->renewals++;
  if (status != SCANT_OK && swapped) study_swap_terms(s, fresh);
  if (status != SCANT_OK) s->kept = kept;
  study_free(fresh);
  return status;
}

/* ---- what changes -------------------------------------------------------------------------- */

static int is_same_text(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : !a && !b;
}

static int is_same_real(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static int is_same(const scant_study_attribute *a, const scant_study_attribute *b) {
  return is_same_text(a->unit, b->unit) && is_same_text(a->group, b->group) && a->cost == b->cost &&
         is_same_real(a->low, b->low) && is_same_real(a->high, b->high) && is_same_real(a->usual_low, b->usual_low) &&
         is_same_real(a->usual_high, b->usual_high) && !a->retired == !b->retired;
}

/* What an amendment is made of, and how it is written. */
typedef struct {
  scant_study *study;
  const scant_study_attribute *attributes;
  size_t count;
  const scant_settings *settings;
  size_t changes;
} amendment;

/* As study_take_catalogue takes it. */
static scant_study_attribute plain(const scant_study_attribute *attribute) {
  scant_study_attribute a = *attribute;
  if (a.usual_low == 0 && a.usual_high == 0) a.usual_low = a.usual_high = NAN;
  if (a.unit && !*a.unit) a.unit = NULL;
  if (a.group && !*a.group) a.group = NULL;
  return a;
}

static scant_status check_attributes(const amendment *m, scant_error *error) {
  size_t fresh = m->study->dimension;
  for (size_t i = 0; i < m->count; i++) {
    const char *name = m->attributes[i].name;
    if (!name) return scant_fail(error, SCANT_USAGE, "an attribute that is amended has no name");
    for (size_t j = 0; j < i; j++)
      if (!strcmp(m->attributes[j].name, name))
        return scant_fail(error, SCANT_USAGE, "the attribute '%.200s' is amended twice at once", name);
    int64_t place = study_find_name(m->study, name);
    if (place == -2) SCANT_TRY(study_check_new_attribute(m->study, name, error));
    if (place >= 0 && !m->study->catalogue[place].known != !m->attributes[i].known)
      return scant_fail(error, SCANT_USAGE, "attribute '%s' is %s, and that can't be amended", name,
                        m->study->catalogue[place].known ? "always known" : "not always known");
    scant_study_attribute a = plain(&m->attributes[i]);
    SCANT_TRY(study_check_attribute(&a, place < 0 ? fresh++ : (size_t)place, m->study->target, error));
  }
  return SCANT_OK;
}

/* `was`: writes what was before in place of what comes. */
static void put_attributes(amendment *m, int was, scant_json_writer *out) {
  size_t fresh = m->study->dimension;
  scant_json_open(out, "attributes", '[');
  for (size_t i = 0; i < m->count; i++) {
    scant_study_attribute a = plain(&m->attributes[i]);
    int64_t place = study_find_name(m->study, a.name);
    const scant_study_attribute *before = place >= 0 ? &m->study->catalogue[place] : NULL;
    if (before && is_same(before, &a)) continue;
    if (!was) m->changes++;
    if (!was)
      study_put_attribute(out, before ? (size_t)place : fresh++, &a);
    else if (before)
      study_put_attribute(out, (size_t)place, before);
  }
  scant_json_close(out);
}

static void put_most_open(const amendment *m, scant_json_writer *out) {
  uint64_t most = m->study->most_open, before = m->study->settings.learning.max_open;
  uint64_t now = m->settings->learning.max_open;
  char text[32];
  most = most > before ? most : before;
  snprintf(text, sizeof text, "%" PRIu64, most > now ? most : now);
  scant_json_text(out, STUDY_MOST_OPEN, text);
}

static scant_status put_settings(amendment *m, int was, scant_json_writer *out, scant_error *error) {
  const scant_option *o;
  scant_json_open(out, "settings", '{');
  for (size_t i = 0; m->settings && (o = scant_option_at(i)); i++) {
    char before[256], now[256];
    if (!scant_settings_is_given(m->settings, o)) continue;
    if (!is_amendable(o->name))
      return scant_fail(error, SCANT_USAGE, "%s can't be amended: k, spend, budget, budget-cost and max-open can",
                        o->name);
    scant_settings_get(&m->study->settings, o, before, sizeof before);
    scant_settings_get(m->settings, o, now, sizeof now);
    if (!strcmp(before, now)) continue;
    if (!was) m->changes++;
    scant_json_text(out, o->name, was ? before : now);
    if (!was && !strcmp(o->name, "max-open")) put_most_open(m, out);
  }
  scant_json_close(out);
  return SCANT_OK;
}

/* What changes as a text for study_write_terms, with what was before under `was`; NULL: nothing changes. */
static scant_status make_change(amendment *m, char **change, scant_error *error) {
  scant_json_writer out = {.lines = 1};
  scant_json_open(&out, NULL, '{');
  scant_status status = put_settings(m, 0, &out, error);
  if (status == SCANT_OK) put_attributes(m, 0, &out);
  scant_json_open(&out, "was", '{');
  if (status == SCANT_OK) status = put_settings(m, 1, &out, error);
  if (status == SCANT_OK) put_attributes(m, 1, &out);
  scant_json_close(&out);
  scant_json_close(&out);
  *change = NULL;
  if (status == SCANT_OK && (m->changes || out.failed)) return study_take_text(&out, change, error);
  scant_json_discard(&out);
  return status;
}

scant_status scant_study_amend(scant_study *study, const scant_study_attribute *attributes, size_t count,
                               const scant_settings *settings, const char *reason, int trial, char **change,
                               scant_error *error) {
  amendment m = {.study = study, .attributes = attributes, .count = count, .settings = settings};
  char *made = NULL;
  if (change) *change = NULL;
  if (!reason || !*reason) return scant_fail(error, SCANT_USAGE, "an amendment has a reason: say which");
  const char *example = "-";                                             /* there is none */
  scant_study_attribute *copy = study_catalogue_copy(attributes, count); /* they may be the study's own */
  if (!copy) return scant_fail_memory(error);
  m.attributes = copy;
  scant_status status = study_take(study, &example, &reason, error);
  if (status == SCANT_OK) {
    status = check_attributes(&m, error);
    if (status == SCANT_OK) status = make_change(&m, &made, error);
    if (status == SCANT_OK && made) status = study_amend_terms(study, made, reason, trial, error);
    status = study_end_turn(study, status);
  }
  scant_study_catalogue_free(copy);
  if (status == SCANT_OK && change)
    *change = made;
  else
    free(made);
  return status;
}

/* ---- in words ---------------------------------------------------------------------------------- */

typedef struct {
  char *text;
  size_t length, room;
  int failed;
  int fresh; /* what is said is of a new attribute: there was nothing before */
} words;

static void say(words *w, const char *format, ...) {
  char piece[1000];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(piece, sizeof piece, format, list);
  va_end(list);
  size_t count = length < 0 ? 0 : (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1;
  if (w->failed || !scant_grow(&w->text, &w->room, w->length + count + 1, 1)) {
    w->failed = 1;
    return;
  }
  memcpy(w->text + w->length, piece, count);
  w->length += count;
  w->text[w->length] = 0;
}

static const char *real_word(char *text, size_t size, double x) {
  if (isnan(x)) return "none";
  snprintf(text, size, "%.15g", x);
  return text;
}

static void say_text(words *w, const char *column, const char *before, const char *now, int *said) {
  if (is_same_text(before, now)) return;
  say(w, "%s %s ", (*said)++ ? "," : ":", column);
  if (!w->fresh) say(w, "%s -> ", before ? before : "none");
  say(w, "%s", now ? now : "none");
}

static void say_real(words *w, const char *column, double before, double now, int *said) {
  char texts[2][40];
  if (is_same_real(before, now)) return;
  say_text(w, column, real_word(texts[0], 40, before), real_word(texts[1], 40, now), said);
}

static void say_attribute(words *w, const scant_study_attribute *was, const scant_study_attribute *now) {
  static const scant_study_attribute nothing = {.low = NAN, .high = NAN, .usual_low = NAN, .usual_high = NAN};
  const scant_study_attribute *b = was ? was : &nothing;
  int said = 0;
  w->fresh = !was;
  say(w, "%s%s%s", w->length ? "; " : "", was ? "" : "new ", now->name);
  say_text(w, "unit", b->unit, now->unit, &said);
  say_real(w, "cost", (double)b->cost / 100, (double)now->cost / 100, &said);
  say_real(w, "low", b->low, now->low, &said);
  say_real(w, "high", b->high, now->high, &said);
  say_real(w, "usual_low", b->usual_low, now->usual_low, &said);
  say_real(w, "usual_high", b->usual_high, now->usual_high, &said);
  say_text(w, "group", b->group, now->group, &said);
  say_text(w, "known", b->known ? "yes" : "no", now->known ? "yes" : "no", &said);
  say_text(w, "retired", b->retired ? "yes" : "no", now->retired ? "yes" : "no", &said);
}

/* The attribute of this place in what was before; *there is 0 if there is none. */
static scant_status find_before(const scant_json *json, size_t list, size_t place, scant_study_attribute *before,
                                int *there, scant_error *error) {
  *there = 0;
  *before = (scant_study_attribute){0};
  for (size_t i = list + 1; i < json->nodes[list].after && !*there; i = json->nodes[i].after) {
    size_t at = 0;
    study_free_attribute(before);
    SCANT_TRY(study_get_attribute(json, i, &at, before, error));
    *there = at == place;
  }
  return SCANT_OK;
}

static scant_status say_attributes(const scant_json *json, size_t was, words *w, scant_error *error) {
  size_t list, befores;
  SCANT_TRY(study_find_attributes(json, 0, &list, error));
  SCANT_TRY(study_find_attributes(json, was, &befores, error));
  scant_status status = SCANT_OK;
  for (size_t i = list + 1; status == SCANT_OK && i < json->nodes[list].after; i = json->nodes[i].after) {
    scant_study_attribute now, before = {0};
    size_t place = 0;
    int there = 0;
    status = study_get_attribute(json, i, &place, &now, error);
    if (status == SCANT_OK) status = find_before(json, befores, place, &before, &there, error);
    if (status == SCANT_OK) say_attribute(w, there ? &before : NULL, &now);
    study_free_attribute(&now);
    study_free_attribute(&before);
  }
  return status;
}

/* A budget of 0 is none. */
static const char *setting_word(const char *name, const char *text) {
  if (strncmp(name, "budget", 6) != 0) return text ? text : "none";
  return text && strtod(text, NULL) > 0 ? text : "no limit";
}

static scant_status say_settings(const scant_json *json, size_t was, words *w, scant_error *error) {
  size_t now, before;
  SCANT_TRY(scant_json_get_object(json, 0, "settings", &now, error));
  SCANT_TRY(scant_json_get_object(json, was, "settings", &before, error));
  for (size_t i = before + 1; i < json->nodes[before].after; i = json->nodes[i].after) {
    char name[64], *texts[2] = {NULL, NULL};
    snprintf(name, sizeof name, "%.*s", (int)json->nodes[i].key_length, json->text + json->nodes[i].key);
    scant_status status = scant_json_get_text(json, before, name, &texts[0], error);
    if (status == SCANT_OK) status = scant_json_get_text(json, now, name, &texts[1], error);
    if (status == SCANT_OK)
      say(w, "%s%s %s -> %s", w->length ? "; " : "", name, setting_word(name, texts[0]), setting_word(name, texts[1]));
    free(texts[0]);
    free(texts[1]);
    SCANT_TRY(status);
  }
  return SCANT_OK;
}

scant_status scant_study_describe_change(const char *change, char **text, scant_error *error) {
  scant_json json;
  words w = {0};
  size_t was;
  SCANT_TRY(scant_json_parse(&json, change, strlen(change), error));
  scant_status status = scant_json_get_object(&json, 0, "was", &was, error);
  if (status == SCANT_OK) status = say_attributes(&json, was, &w, error);
  if (status == SCANT_OK) status = say_settings(&json, was, &w, error);
  if (status == SCANT_OK && (w.failed || !w.text)) status = scant_fail_memory(error);
  scant_json_free(&json);
  if (status != SCANT_OK) {
    free(w.text);
    return status;
  }
  *text = w.text;
  return SCANT_OK;
}
