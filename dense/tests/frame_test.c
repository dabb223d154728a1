/* Looks as variables: the store of looks, their limits, centers and units, and what was seen in these. */
#include "gaussian/frame.h"

#include "allocations.h"
#include "direct.h"

/* ---- the store of looks ---------------------------------------------------------- */

TEST(looks_are_kept_without_what_is_missing) {
  enum { EXAMPLES = 50, D = 9 };
  scant_answers looks = {.dimension = D};
  uint64_t seed = 1;
  uint32_t attributes[EXAMPLES][D];
  double values[EXAMPLES][D];
  size_t counts[EXAMPLES], at = 0;
  for (size_t e = 0; e < EXAMPLES; e++) {
    counts[e] = random_below(&seed, D + 1);
    for (size_t i = 0; i < counts[e]; i++) {
      attributes[e][i] = (uint32_t)((7 * i + e) % D);
      values[e][i] = random_below(&seed, 4) == 0 ? NAN : random_normal(&seed);
    }
    CHECK(scant_answers_add(&looks, NULL, counts[e], attributes[e], values[e], (double)e / 2));
  }
  CHECK(looks.examples == EXAMPLES && looks.first[0] == 0);
  for (size_t e = 0; e < EXAMPLES; e++) {
    CHECK(looks.first[e] == at && looks.y[e] == (double)e / 2);
    for (size_t i = 0; i < counts[e]; i++) {
      if (isnan(values[e][i])) continue;
      CHECK(looks.attribute[at] == attributes[e][i] && looks.value[at] == values[e][i]);
      at++;
    }
    CHECK(looks.first[e + 1] == at && looks.size[e] == at - looks.first[e]);
  }
  scant_answers_free(&looks);
}

/* ---- variables -------------------------------------------------------------------- */

enum { D = 8, M = 203 };

typedef struct {
  scant_answers looks;
  scant_moments y;
} told;

/* 0 constant, 1 never looked at, 2 once, 3 rarely active, the others far from 0 and in
 * their own units; 4 and 5 come together, so that patterns repeat. */
static told tell_all(void) {
  told t = {.looks = {.dimension = D}};
  uint64_t seed = 5;
  for (size_t e = 0; e < M; e++) {
    uint32_t attributes[D];
    double values[D], y = 1e3 + random_normal(&seed);
    size_t count = 0;
    for (uint32_t j = D; j-- > 0;) {
      double x = random_normal(&seed) * pow(10, j) + 50;
      if (j == 7 && e % 40 == 3) x *= 30; /* wild ones */
      if (j == 1 || (j == 2 && e != 7) || (j != 2 && j != 4 && j != 5 && random_below(&seed, 2))) continue;
      if (j == 0) x = 0.1;
      if (j == 3) x = e == 100 ? 1 : 0;
      if (j == 6 && e % 5 == 0) x = NAN;
      attributes[count] = j;
      values[count++] = x;
    }
    scant_moments_add(&t.y, y);
    CHECK(scant_answers_add(&t.looks, NULL, count, attributes, values, y));
  }
  return t;
}

static double clipped(double x, double low, double high) {
  return fmax(low, fmin(high, x));
}

/* What an attribute is, from its values as they came: its limits by the record of limits, and mean and deviation
 * of what these leave. */
typedef struct {
  size_t count;
  double low, high;
  real mean, deviation;
} measured;

static measured measure_directly(const scant_answers *looks, uint32_t attribute, double clip) {
  measured m = {.low = -INFINITY, .high = INFINITY};
  scant_limits met = {0};
  double joined;
  size_t entries = looks->first[looks->examples];
  for (size_t i = 0; i < entries; i++)
    if (looks->attribute[i] == attribute) scant_limits_add(&met, looks->value[i], &joined), m.count++;
  if (clip > 0) scant_limits_of(&met, clip, &m.low, &m.high);
  for (size_t i = 0; i < entries; i++)
    if (looks->attribute[i] == attribute) m.mean += clipped(looks->value[i], m.low, m.high) / (real)m.count;
  for (size_t i = 0; i < entries; i++)
    if (looks->attribute[i] == attribute)
      m.deviation += powl(clipped(looks->value[i], m.low, m.high) - m.mean, 2) / (real)m.count;
  m.deviation = sqrtl(m.deviation);
  return m;
}

static const double clips[] = {0, 3, 1.5};
enum { CLIPS = 3 };

TEST(attributes_that_vary_become_variables) {
  told t = tell_all();
  for (int c = 0; c < CLIPS; c++) {
    scant_frame f = {0};
    CHECK(scant_frame_new(&f, &t.looks, clips[c], &t.y));
    CHECK(f.dimension == D && f.variables == D - 3 + 1);
    for (uint32_t j = 3; j < D; j++) {
      uint32_t v = f.variable[j];
      measured m = measure_directly(&t.looks, j, clips[c]);
      CHECK(v == j - 3 && f.attribute[v] == j);
      CHECK_NEAR(f.center[v], (double)m.mean, 1e-11 * (fabs(f.center[v]) + f.unit[v]));
      CHECK_NEAR(f.unit[v], (double)m.deviation, 1e-11 * f.unit[v]);
    }
    for (uint32_t j = 0; j < 3; j++) CHECK(f.variable[j] == SCANT_NO_VARIABLE);
    CHECK(f.center[D - 3] == t.y.mean && f.unit[D - 3] > 0.8 && f.unit[D - 3] < 1.3);
    CHECK(f.factor[D - 3] == 1 && f.guess[D - 3] == 1);
    scant_frame_free(&f);
    scant_moments constant = {.count = 5, .mean = 3};
    CHECK(scant_frame_new(&f, &t.looks, clips[c], &constant)); /* a target that does not vary */
    CHECK(f.center[D - 3] == 3 && f.unit[D - 3] == 1);
    scant_frame_free(&f);
  }
  scant_answers_free(&t.looks);
}

/* Of the values as they came, never of clipped ones: these limits are the record's own, to the bit. */
TEST(limits_are_made_of_values_as_they_came) {
  told t = tell_all();
  for (int c = 0; c < CLIPS; c++) {
    scant_frame f = {0};
    CHECK(scant_frame_new(&f, &t.looks, clips[c], &t.y));
    CHECK((f.low != NULL) == (clips[c] > 0) && (f.high != NULL) == (clips[c] > 0));
    for (uint32_t j = 0; j < D && f.low; j++) {
      measured m = measure_directly(&t.looks, j, clips[c]);
      CHECK(f.low[j] == m.low && f.high[j] == m.high);
      CHECK(scant_frame_clip(&f, j, m.high + 1) == m.high && scant_frame_clip(&f, j, m.low - 1) == m.low);
      if (j >= 3) CHECK(scant_frame_clip(&f, j, (m.low + m.high) / 2) == (m.low + m.high) / 2);
    }
    if (!f.low) CHECK(scant_frame_clip(&f, 7, 1e300) == 1e300);
    scant_frame_free(&f);
  }
  scant_answers_free(&t.looks);
}

/* One that is 0 in 99 of 100 keeps its unit, however often its frame is made. */
TEST(a_rare_attribute_keeps_its_unit) {
  enum { ROWS = 30000 };
  scant_answers looks = {.dimension = 1};
  scant_moments y = {.count = 2, .spread = 1};
  uint64_t seed = 9;
  double units[2] = {0};
  for (size_t e = 0; e < ROWS; e++) {
    double x = random_below(&seed, 100) ? 0 : 5 + random_normal(&seed);
    CHECK(scant_answers_add(&looks, NULL, 1, (uint32_t[]){0}, &x, 0));
    if (e + 1 != ROWS / 30 && e + 1 != ROWS) continue;
    scant_frame f = {0};
    CHECK(scant_frame_new(&f, &looks, 3, &y));
    units[e + 1 == ROWS] = f.unit[0];
    CHECK_NEAR(f.high[0] - f.low[0], 6 * sqrt(0.01 * 26), 0.6);
    scant_frame_free(&f);
  }
  CHECK(units[1] > 0.7 * units[0] && units[1] < 1.4 * units[0] && units[1] > 0.1);
  scant_answers_free(&looks);
}

/* The factors are those of the clipped values in their order; infinite where too little was seen. */
TEST(factors_are_made_of_what_the_limits_leave) {
  told t = tell_all();
  for (int c = 0; c < CLIPS; c++) {
    scant_frame f = {0};
    scant_scale scale = {0};
    scant_moments moments[D] = {{0}};
    CHECK(scant_frame_new(&f, &t.looks, clips[c], &t.y) && scant_scale_new(&scale, D));
    for (size_t i = 0; i < t.looks.first[M]; i++) {
      uint32_t j = t.looks.attribute[i];
      measured m = measure_directly(&t.looks, j, clips[c]);
      double x = clipped(t.looks.value[i], m.low, m.high);
      scant_scale_note(&scale, j, &moments[j], x);
      scant_moments_add(&moments[j], x);
    }
    for (uint32_t j = 3; j < D; j++) {
      double wanted =
          scant_scale_factor(&scale, j, clips[c] > 0 && 2 * t.looks.first[M] >= M * (size_t)D ? NULL : &moments[j]);
      CHECK(f.guess[j - 3] == wanted && f.factor[j - 3] == (j == 3 ? INFINITY : wanted));
    }
    scant_scale_free(&scale);
    scant_frame_free(&f);
  }
  scant_answers_free(&t.looks);
}

/* Other units, by powers of two: the same bits in those units, and the same values seen. */
TEST(units_do_not_matter) {
  for (int c = 0; c < CLIPS; c++) {
    told t[2] = {tell_all(), tell_all()};
    scant_frame f[2] = {{0}};
    scant_seen s[2] = {{0}};
    for (size_t i = 0; i < t[1].looks.first[M]; i++)
      t[1].looks.value[i] = ldexp(t[1].looks.value[i], 7 * (int)t[1].looks.attribute[i] - 20);
    for (int i = 0; i < 2; i++)
      CHECK(scant_frame_new(&f[i], &t[i].looks, clips[c], &t[i].y) && scant_seen_new(&s[i], &t[i].looks, &f[i], 0, 0));
    CHECK(f[0].variables == f[1].variables && s[0].first[M] == s[1].first[M]);
    for (size_t v = 0; v + 1 < f[0].variables; v++) {
      int power = 7 * (int)f[0].attribute[v] - 20;
      CHECK(f[1].attribute[v] == f[0].attribute[v] && f[1].center[v] == ldexp(f[0].center[v], power));
      CHECK(f[1].unit[v] == ldexp(f[0].unit[v], power));
      CHECK(f[1].factor[v] == f[0].factor[v] && f[1].guess[v] == f[0].guess[v]);
    }
    for (int j = 0; j < D && f[0].low; j++)
      CHECK(f[1].low[j] == ldexp(f[0].low[j], 7 * j - 20) && f[1].high[j] == ldexp(f[0].high[j], 7 * j - 20));
    CHECK(!memcmp(s[0].value, s[1].value, s[0].first[M] * sizeof *s[0].value));
    for (int i = 0; i < 2; i++) {
      scant_seen_free(&s[i]);
      scant_frame_free(&f[i]);
      scant_answers_free(&t[i].looks);
    }
  }
}

/* ---- what was seen ------------------------------------------------------------------- */

/* Everything of example e of the looks, in its place `at` of what was seen. */
static void check_example(const told *t, const scant_frame *f, const measured *m, const scant_seen *s, size_t e,
                          size_t at) {
  size_t entries = 0, last = s->first[at + 1] - 1;
  for (size_t i = t->looks.first[e]; i < t->looks.first[e + 1]; i++) {
    uint32_t j = t->looks.attribute[i], v = f->variable[j];
    if (v == SCANT_NO_VARIABLE) continue;
    entries++;
    size_t found = last;
    for (size_t q = s->first[at]; q < last; q++)
      if (s->variable[q] == v) found = q;
    if (!CHECK(found < last)) continue;
    real z = (clipped(t->looks.value[i], m[j].low, m[j].high) - m[j].mean) / m[j].deviation;
    CHECK_NEAR(s->value[found], (double)z, 1e-9);
  }
  CHECK(scant_seen_size(s, at) == entries + 1 && scant_seen_size(s, at) <= s->most);
  for (size_t q = s->first[at] + 1; q <= last; q++) CHECK(s->variable[q] > s->variable[q - 1]);
  CHECK(s->variable[last] == s->variables - 1);
  CHECK_NEAR(s->value[last], (t->looks.y[e] - t->y.mean) / f->unit[s->variables - 1], 1e-9);
}

/* Every example is in one batch; a batch is of one kind. */
static void check_batches(const scant_seen *s) {
  size_t next = 0, before = 0;
  int *met = calloc(s->examples, sizeof *met), alike = 0;
  for (size_t b = 0; b < s->batch_count; b++) {
    const scant_batch *batch = &s->batches[b];
    CHECK(batch->start == next && batch->count > 0);
    next += batch->count;
    if (!batch->alike) CHECK(batch->count <= 8);
    if (batch->alike) CHECK(batch->count >= 6), alike++;
    for (size_t i = batch->start; i < next; i++) {
      uint32_t e = s->order[i], first = s->order[batch->start];
      CHECK(e < s->examples && !met[e]);
      met[e] = 1;
      CHECK(scant_seen_size(s, e) >= before); /* the padding is short */
      before = scant_seen_size(s, e);
      if (!batch->alike) continue;
      CHECK(scant_seen_size(s, e) == scant_seen_size(s, first) &&
            !memcmp(s->variable + s->first[e], s->variable + s->first[first], before * sizeof *s->variable));
    }
  }
  CHECK(next == s->examples && alike > 0);
  free(met);
}

TEST(what_was_seen_is_clipped_standardised_sorted_and_batched) {
  told t = tell_all();
  for (int c = 0; c < CLIPS; c++) {
    scant_frame f = {0};
    scant_seen s = {0};
    measured m[D];
    for (uint32_t j = 0; j < D; j++) m[j] = measure_directly(&t.looks, j, clips[c]);
    CHECK(scant_frame_new(&f, &t.looks, clips[c], &t.y) && scant_seen_new(&s, &t.looks, &f, 0, 0));
    CHECK(s.examples == M && s.variables == f.variables && s.first[0] == 0);
    for (size_t e = 0; e < M; e++) check_example(&t, &f, m, &s, e, e);
    check_batches(&s);
    scant_seen_free(&s);
    size_t sum = 0;
    for (size_t part = 0; part < 2; part++) {
      CHECK(scant_seen_new(&s, &t.looks, &f, 2, part));
      CHECK(s.examples == (M + 1 - part) / 2);
      sum += s.examples;
      for (size_t at = 0; at < s.examples; at++) check_example(&t, &f, m, &s, 2 * at + part, at);
      check_batches(&s);
      scant_seen_free(&s);
    }
    CHECK(sum == M);
    scant_frame_free(&f);
  }
  scant_answers_free(&t.looks);
}

TEST(without_looks_there_is_the_target_alone) {
  scant_answers none = {.dimension = D};
  scant_moments y = {0};
  for (int c = 0; c < CLIPS; c++) {
    scant_frame f = {0};
    CHECK(scant_frame_new(&f, &none, clips[c], &y));
    CHECK(f.variables == 1 && f.unit[0] == 1 && f.center[0] == 0);
    for (uint32_t j = 0; j < D && f.low; j++) CHECK(f.low[j] == 0 && f.high[j] == 0);
    scant_frame_free(&f);
  }
}

TEST(any_allocation_of_a_frame_may_fail) {
  told t = tell_all();
  for (int c = 0; c < 2; c++) {
    unsigned long n = 1;
    for (;; n++) {
      scant_frame f = {0};
      allocations_fail(n, 0);
      int good = scant_frame_new(&f, &t.looks, clips[c], &t.y);
      unsigned long failed = allocations_failed();
      allocations_reset();
      scant_frame_free(&f);
      if (!failed) break;
      CHECK(!good);
    }
    CHECK(n > 8);
  }
  scant_answers_free(&t.looks);
}

int main(void) {
  RUN(looks_are_kept_without_what_is_missing);
  RUN(attributes_that_vary_become_variables);
  RUN(limits_are_made_of_values_as_they_came);
  RUN(a_rare_attribute_keeps_its_unit);
  RUN(factors_are_made_of_what_the_limits_leave);
  RUN(units_do_not_matter);
  RUN(what_was_seen_is_clipped_standardised_sorted_and_batched);
  RUN(without_looks_there_is_the_target_alone);
  RUN(any_allocation_of_a_frame_may_fail);
  return check_done();
}
