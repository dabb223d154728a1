/* scant predict with rules that stop the buying: one line or JSON object per example, with what was bought. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/command.h"
#include "base/json_document.h"

typedef struct {
  const arguments *a;
  const scant_model *model;
  few_bought *bought;
  int ends, two_valued;
  json json;
  char *text; /* CSV */
  size_t length, room;
  int failed; /* out of memory */
} writer;

static void put(writer *w, const char *text) {
  size_t length = strlen(text);
  if (w->length + length >= w->room) {
    size_t room = 2 * (w->length + length) + 256;
    char *grown = w->failed ? NULL : realloc(w->text, room);
    if (!grown) {
      w->failed = 1;
      return;
    }
    w->text = grown;
    w->room = room;
  }
  memcpy(w->text + w->length, text, length);
  w->length += length;
}

static void put_real(writer *w, const char *before, double x) {
  char text[40];
  snprintf(text, sizeof text, "%s%.17g", before, x);
  put(w, text);
}

/* Names in order with ';' between them, as one cell. */
static void put_names(writer *w, const scant_bought *b) {
  char number[32];
  size_t size = 1, length = 0;
  for (size_t i = 0; i < b->count; i++) size += strlen(few_name(w->model, b->purchases[i].attribute, number)) + 1;
  char *list = malloc(size), *cell = malloc(2 * size + 4);
  for (size_t i = 0; list && i < b->count; i++)
    length += (size_t)snprintf(list + length, size - length, "%s%s", i ? ";" : "",
                               few_name(w->model, b->purchases[i].attribute, number));
  if (list) list[length] = 0;
  if (list && cell) {
    scant_csv_cell(cell, 2 * size + 4, list, 0);
    put(w, cell);
  } else {
    w->failed = 1;
  }
  free(list);
  free(cell);
}

static void put_header(writer *w) {
  if (!w->ends && !w->a->own.bought) return;
  put(w, w->ends ? "mean,low,high" : "mean");
  if (w->a->own.bought) {
    if (w->two_valued) put(w, ",value,probability");
    put(w, w->bought->priced ? ",bought,spent,stopped" : ",bought,stopped");
  }
  put(w, "\n");
}

static void put_line(writer *w, const scant_bought *b) {
  char text[64];
  put_real(w, "", b->prediction.mean);
  if (w->ends) {
    put_real(w, ",", b->prediction.low);
    put_real(w, ",", b->prediction.high);
  }
  if (w->a->own.bought) {
    if (w->two_valued) {
      put_real(w, ",", b->value);
      put_real(w, ",", b->sure);
    }
    put(w, ",");
    put_names(w, b);
    snprintf(text, sizeof text, ",%.2f", (double)b->money / 100);
    if (w->bought->priced) put(w, text);
    snprintf(text, sizeof text, ",%s", scant_verdict_name(b->verdict));
    put(w, text);
  }
  put(w, "\n");
}

static void put_object(writer *w, const scant_bought *b) {
  json *out = &w->json;
  char number[32];
  json_open(out, NULL, '{');
  json_real(out, "mean", b->prediction.mean);
  if (w->ends) {
    json_real(out, "low", b->prediction.low);
    json_real(out, "high", b->prediction.high);
  }
  if (w->two_valued) {
    char label[64];
    json_real(out, "value", b->value);
    if (few_class(w->model, b->value, label, sizeof label)) json_text(out, "class", label);
    json_real(out, "probability", b->sure);
  }
  json_open(out, "bought", '[');
  for (size_t i = 0; i < b->count; i++) {
    json_open(out, NULL, '{');
    json_text(out, "attribute", few_name(w->model, b->purchases[i].attribute, number));
    if (w->bought->priced) json_money(out, "price", b->purchases[i].price);
    json_real(out, "value", b->purchases[i].value);
    json_close(out);
  }
  json_close(out);
  if (w->bought->priced) json_money(out, "spent", b->money);
  json_text(out, "stopped", scant_verdict_name(b->verdict));
  json_close(out);
}

static scant_status write_row(void *user, size_t row, const scant_bought *b, scant_error *error) {
  writer *w = user;
  (void)row;
  w->bought->stopped[b->verdict]++;
  if (w->a->own.json)
    put_object(w, b);
  else
    put_line(w, b);
  if (!w->failed && !w->json.failed) return SCANT_OK;
  strcpy(error->text, "out of memory");
  return SCANT_MEMORY;
}

static void put_end(writer *w, size_t rows, double level) {
  const scant_ledger *l = &w->bought->ledger;
  json_close(&w->json);
  json_count(&w->json, "examples", rows);
  if (level > 0) json_real(&w->json, "interval", level);
  json_count(&w->json, "attributes_bought", l->attributes_bought);
  json_count(&w->json, "max_bought_per_example", l->max_bought_per_example);
  json_count(&w->json, "missing_cells", l->missing_cells);
  if (w->bought->priced) json_money(&w->json, "money_spent", l->money_spent);
  json_close(&w->json);
}

scant_status predict_bought(const arguments *a, const scant_model *model, scant_source *source, few_bought *bought,
                            char **text, size_t *length, scant_error *error) {
  double values[2];
  writer w = {.a = a, .model = model, .bought = bought, .two_valued = scant_model_target_values(model, values)};
  scant_prices *own = NULL;
  const scant_prices *prices = NULL;
  unsigned char *have = NULL;
  scant_buying buying = {0};
  scant_status status = few_prices(a, model, source, &own, &prices, error);
  bought->priced = prices != NULL;
  w.ends = few_level(a) > 0;
  if (status == SCANT_OK) status = few_buying(a, model, prices, &buying, &have, error);
  if (status == SCANT_OK) {
    json_open(&w.json, NULL, '{');
    json_open(&w.json, "predictions", '[');
    put_header(&w);
    status = scant_model_buy(model, source, &buying, write_row, &w, &bought->ledger, error);
  }
  if (status == SCANT_OK && a->own.json) {
    put_end(&w, scant_source_rows(source), buying.level);
    status = json_take(&w.json, text, length, error);
  } else if (status == SCANT_OK) {
    *text = w.text;
    *length = w.length;
    w.text = NULL;
  }
  json_free(&w.json);
  free(w.text);
  free(have);
  scant_prices_free(own);
  return status;
}
