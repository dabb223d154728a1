/* From the labels of a file to targets. */
#include "scant_base.h"
#include "data/sentence.h"
#include "data/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers are compared as numbers ("1" and "1.0" are equal), all else, NaN too, as text. */
static int labels_equal(const char *a, size_t a_length, const char *b, size_t b_length) {
  double x, y;
  if (scant_parse_real(a, a_length, &x) && scant_parse_real(b, b_length, &y) && !isnan(x) && !isnan(y)) return x == y;
  return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static int cut_label(char *label, size_t size, const char *text, size_t length) {
  scant_text_trim(&text, &length);
  if (!length || length >= size) return 0;
  memcpy(label, text, length);
  label[length] = 0;
  return 1;
}

scant_status scant_classes_parse(scant_classes *classes, const char *text, scant_error *error) {
  scant_classes cut = {0};
  if (text) {
    const char *comma = strchr(text, ',');
    int good = comma && !strchr(comma + 1, ',');
    good = good && cut_label(cut.negative, sizeof cut.negative, text, (size_t)(comma - text));
    good = good && cut_label(cut.positive, sizeof cut.positive, comma + 1, strlen(comma + 1));
    int shown = scant_text_clip(text, strlen(text));
    if (!good)
      return scant_fail(error, SCANT_USAGE, "classes are two labels, NEG,POS, of at most %zu bytes each: not '%.*s'",
                        sizeof cut.negative - 1, shown, text);
    if (labels_equal(cut.negative, strlen(cut.negative), cut.positive, strlen(cut.positive)))
      return scant_fail(error, SCANT_USAGE, "the two classes '%.*s' are the same label", shown, text);
    cut.wanted = 1;
  }
  *classes = cut;
  return SCANT_OK;
}

int scant_classes_sign(const scant_classes *classes, const char *label, size_t length) {
  scant_text_trim(&label, &length);
  if (labels_equal(classes->negative, strlen(classes->negative), label, length)) return -1;
  return labels_equal(classes->positive, strlen(classes->positive), label, length);
}

int scant_classes_sign_number(const scant_classes *classes, double label) {
  double value;
  if (scant_parse_real(classes->negative, strlen(classes->negative), &value) && value == label) return -1;
  return scant_parse_real(classes->positive, strlen(classes->positive), &value) && value == label;
}

scant_status scant_classes_keep(scant_source *source, const scant_classes *classes, const char *path,
                                scant_error *error) {
  double *targets = source->targets;
  size_t negative = 0, positive = 0, n = 0;
  if (!classes->wanted) return SCANT_OK;
  for (size_t i = 0; i < source->rows; i++) {
    negative += targets[i] < 0;
    positive += targets[i] > 0;
  }
  if (!negative || !positive)
    return scant_fail(error, SCANT_DATA, "'%s' has no row of class '%s'", scant_path_show(path),
                      negative ? classes->positive : classes->negative);
  source->kept = scant_array(negative + positive, sizeof *source->kept);
  if (!source->kept) return scant_fail_memory(error);
  for (size_t i = 0; i < source->rows; i++) {
    if (targets[i] == 0) continue;
    source->kept[n] = i;
    targets[n++] = targets[i];
  }
  source->rows = n;
  return SCANT_OK;
}

scant_status scant_classes_add(scant_source *source, const scant_classes *classes, size_t row, const char *text,
                               size_t length, scant_error *error) {
  double target;
  if (classes->wanted)
    target = scant_classes_sign(classes, text, length);
  else if (!scant_parse_real(text, length, &target) || !isfinite(target))
    return SCANT_DATA;
  if (!scant_grow(&source->targets, &source->targets_capacity, row + 1, sizeof *source->targets))
    return scant_fail_memory(error);
  source->targets[row] = target;
  return SCANT_OK;
}

scant_status scant_source_log_target(scant_source *source, scant_error *error) {
  if (source->log_target) return SCANT_OK;
  size_t targets = source->targets ? source->rows : 0;
  for (size_t i = 0; i < targets; i++) {
    if (source->targets[i] > -1) continue;
    char where[SCANT_WHERE_LENGTH];
    scant_source_where(source, i, SCANT_WHOLE_ROW, where, sizeof where);
    return scant_fail(error, SCANT_DATA, "%s: the target %g is not above -1, so there is no log(1 + y) of it", where,
                      source->targets[i]);
  }
  for (size_t i = 0; i < targets; i++) source->targets[i] = log1p(source->targets[i]);
  source->log_target = 1;
  source->digested = 0;
  return SCANT_OK;
}
