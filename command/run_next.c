/* scant next */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/command.h"

typedef struct {
  const scant_model *model;
  const scant_prices *prices; /* NULL: none */
  scant_query *query;
  double level;
  scant_prediction now;
  double sure, value; /* NaN: the target is a number */
  scant_offer *offers;
  size_t count;
  scant_verdict verdict; /* by the rules that were given */
} advice;

/* Is attribute i, which was not told, bought together with this one? */
static int is_member(const advice *a, uint32_t attribute, size_t i) {
  if (scant_query_is_told(a->query, (uint32_t)i)) return 0;
  uint32_t group = a->prices ? scant_prices_group(a->prices, attribute) : 0;
  return i == attribute || (group && scant_prices_group(a->prices, i) == group);
}

/* Is an item of several attributes, which all begin as this one does? */
static int is_column(const advice *a, uint32_t attribute, size_t length) {
  const char *name = scant_model_name(a->model, attribute);
  size_t members = 0;
  for (size_t i = 0; i < scant_model_dimension(a->model); i++) {
    if (!is_member(a, attribute, i)) continue;
    if (strncmp(scant_model_name(a->model, i), name, length) != 0) return 0;
    members++;
  }
  return members > 1;
}

/* The column of words that the attributes of an item were made of: its length, or 0 if there is none.  It may have a
 * '=' in its name. */
static size_t column_length(const advice *a, uint32_t attribute) {
  const char *name = scant_model_name(a->model, attribute);
  size_t length = name ? strlen(name) : 0;
  while (length > 0 && !(name[length] == '=' && is_column(a, attribute, length + 1))) length--;
  return length;
}

/* Prints what an item is called: a column of words, or its attributes, the best first. */
static void print_item(const advice *a, uint32_t attribute) {
  char number[32];
  size_t length = column_length(a, attribute);
  const char *name = few_name(a->model, attribute, number);
  if (length) {
    printf("%.*s", (int)length, name);
    return;
  }
  printf("%s", name);
  for (size_t i = 0; i < scant_model_dimension(a->model); i++)
    if (i != attribute && is_member(a, attribute, i)) printf(" + %s", few_name(a->model, i, number));
}

static int is_two_valued(const advice *a) {
  return !isnan(a->sure);
}

static void print_offer(const advice *a, const scant_offer *o) {
  printf("buy next        ");
  print_item(a, o->attribute);
  if (a->prices && o->price)
    printf(", for %.2f", (double)o->price / 100);
  else if (a->prices)
    printf(", for nothing");
  if (is_two_valued(a))
    printf("\nexpected        the probability moves by %.3g; then right with probability %.4g, and %.4g now\n",
           o->moves, o->sure, a->sure);
  else
    printf("\nexpected        an interval %.6g wide, and %.6g now\n", o->width, a->now.high - a->now.low);
}

static void print_table(const advice *a) {
  printf("\n%10s", is_two_valued(a) ? "right" : "width");
  if (is_two_valued(a)) printf(" %10s", "moves by");
  if (a->prices) printf(" %12s", "price");
  printf("  attribute\n");
  for (size_t i = 0; i < a->count; i++) {
    const scant_offer *o = &a->offers[i];
    printf("%10.6g", is_two_valued(a) ? o->sure : o->width);
    if (is_two_valued(a)) printf(" %10.4g", o->moves);
    if (a->prices) printf(" %12.2f", (double)o->price / 100);
    printf("  ");
    print_item(a, o->attribute);
    printf("\n");
  }
}

static const char *why_stop(scant_verdict verdict) {
  switch (verdict) {
    case SCANT_VERDICT_SURE:
      return "it is sure enough";
    case SCANT_VERDICT_WIDTH:
      return "the interval is narrow enough";
    case SCANT_VERDICT_SPEND:
      return "what would help costs more than is left";
    default:
      return "no attribute that was not asked for would help";
  }
}

static void print_advice(const advice *a, int table) {
  printf("prediction      %.6g", a->now.mean);
  char label[64];
  if (is_two_valued(a)) {
    if (!few_class(a->model, a->value, label, sizeof label)) snprintf(label, sizeof label, "%.6g", a->value);
    printf("; %s with probability %.4g", label, a->sure);
  }
  printf("\ninterval        %.6g to %.6g, with probability %.6g\n", a->now.low, a->now.high, a->level);
  if (a->verdict != SCANT_VERDICT_BUY)
    printf("buy nothing     %s\n", why_stop(a->verdict));
  else
    print_offer(a, &a->offers[0]);
  if (a->count && table) print_table(a);
}

static void put_offer(scant_json_writer *out, const advice *a, const char *key, const scant_offer *o) {
  char number[32];
  scant_json_open(out, key, '{');
  scant_json_text(out, "attribute", few_name(a->model, o->attribute, number));
  scant_json_open(out, "attributes", '[');
  for (size_t i = 0; i < scant_model_dimension(a->model); i++)
    if (is_member(a, o->attribute, i)) scant_json_text(out, NULL, few_name(a->model, i, number));
  scant_json_close(out);
  if (a->prices) scant_json_money(out, "price", o->price);
  scant_json_real(out, "variance", o->variance);
  if (is_two_valued(a)) {
    scant_json_real(out, "probability", o->sure);
    scant_json_real(out, "moves", o->moves);
  } else {
    scant_json_real(out, "width", o->width);
  }
  scant_json_close(out);
}

static scant_status print_json(const advice *a, int table, scant_error *error) {
  scant_json_writer out = document_begin();
  scant_json_real(&out, "mean", a->now.mean);
  scant_json_real(&out, "interval", a->level);
  scant_json_real(&out, "low", a->now.low);
  scant_json_real(&out, "high", a->now.high);
  scant_json_real(&out, "width", a->now.high - a->now.low);
  scant_json_real(&out, "variance", a->now.variance);
  if (is_two_valued(a)) {
    char label[64];
    scant_json_real(&out, "value", a->value);
    if (few_class(a->model, a->value, label, sizeof label)) scant_json_text(&out, "class", label);
    scant_json_real(&out, "probability", a->sure);
  }
  if (a->verdict == SCANT_VERDICT_BUY)
    put_offer(&out, a, "next", &a->offers[0]);
  else
    scant_json_null(&out, "next");
  scant_json_text(&out, "stop", a->verdict == SCANT_VERDICT_BUY ? NULL : scant_verdict_name(a->verdict));
  if (table) {
    scant_json_open(&out, "offers", '[');
    for (size_t i = 0; i < a->count; i++) put_offer(&out, a, NULL, &a->offers[i]);
    scant_json_close(&out);
  }
  return document_print(&out, SCANT_OK, error);
}

/* Tells what is known.  The command line alone shows that a name comes twice. */
static scant_status tell_all(const arguments *a, scant_query *query, scant_error *error) {
  scant_status status = SCANT_OK;
  for (int i = 1; i < a->operand_count && status == SCANT_OK; i++) {
    int unlisted;
    status = scant_query_tell_text(query, a->operands[i], &unlisted, error);
    if (status == SCANT_OK && unlisted)
      print_warning("the model does not know the word of '%.200s': it counts as none of its words", a->operands[i]);
  }
  return status == SCANT_MISUSE ? SCANT_USAGE : status;
}

static scant_status advise(const arguments *a, const scant_model *model, scant_error *error) {
  size_t d = scant_model_dimension(model), most = a->own.top < d ? (size_t)a->own.top : d;
  int table = a->own.top > 0;
  if (!most) most = 1;
  few_terms terms = {0};
  advice r = {.model = model, .level = a->own.interval, .offers = malloc((most + 1) * sizeof *r.offers)};
  const scant_stop *stop = &terms.buying.stop;
  scant_status status = r.offers ? few_begin(a, model, NULL, &terms, error) : scant_fail_memory(error);
  r.prices = terms.prices;
  if (status == SCANT_OK) status = scant_stop_check(stop, model, r.prices, r.level, error);
  if (status == SCANT_OK) status = scant_query_new(&r.query, model, r.prices, error);
  if (status == SCANT_OK) status = tell_all(a, r.query, error);
  if (status == SCANT_OK) {
    scant_query_predict(r.query, r.level, &r.now);
    r.sure = scant_query_sure(r.query, &r.value);
    uint32_t attribute;
    r.verdict = scant_query_decide(r.query, stop, r.level, 0, 0, &attribute);
    r.count = scant_query_offers(r.query, r.level, stop->spend ? stop->spend : UINT64_MAX, r.offers, most);
    if (!r.count && r.verdict == SCANT_VERDICT_BUY) r.verdict = SCANT_VERDICT_NOTHING;
    if (!isfinite(r.now.mean)) status = scant_fail(error, SCANT_DATA, "the prediction overflows");
  }
  if (status == SCANT_OK && a->own.json)
    status = print_json(&r, table, error);
  else if (status == SCANT_OK)
    print_advice(&r, table);
  scant_query_free(r.query);
  few_end(&terms);
  free(r.offers);
  return status;
}

int run_next(arguments *a) {
  scant_error error;
  scant_model *model = NULL;
  int code = few_check_spend(a);
  if (code != EXIT_DONE) return code;
  scant_status status = scant_model_load(&model, a->operands[0], &error);
  if (status == SCANT_OK) status = few_check_model(a, model, &error);
  if (status == SCANT_OK) status = advise(a, model, &error);
  scant_model_free(model);
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
}
