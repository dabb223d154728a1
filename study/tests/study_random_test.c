/* Any interleaving of 2,000 random operations, against a model in memory (study_model.h).  Some scenarios have fewer of
 * them; SCANT_STUDY_OPERATIONS says how many all of them have (up to 4,000). */
#include "study_changes.h"
#include "study_dense.h"
#include "study_model.h"
#include "study_operations.h"

#ifdef __SANITIZE_ADDRESS__ /* which takes its time */
enum { SCALE = 2 };
#else
enum { SCALE = 1 };
#endif

static scant_study *open_any(scant_study_mode mode) {
  scant_study *study = open_dense(m.path, mode);
  hurry(study);
  return study;
}

static void reopen(void) {
  if (test_below(2)) m.study->kept = m.study->tip.sequence; /* as if it were killed: no snapshot */
  scant_study_close(m.study);
  scant_study **place = NULL;
  for (size_t i = 0; i < HANDLES; i++)
    if (m.shared[i] == m.study) place = &m.shared[i];
  m.study = open_any(place ? SCANT_STUDY_SHARE : SCANT_STUDY_WRITE);
  if (place) *place = m.study;
  m.study->keep_every = 20 + test_below(200);
  check_learner();
}

/* Any of those that share the study goes on: it must catch up with the others. */
static void go_on_by_another(void) {
  if (m.shared[0]) m.study = m.shared[test_below(HANDLES)];
}

/* Another one reads meanwhile, and sees what follows. */
static void read_meanwhile(scant_study *reader) {
  char *a = dump(m.study), *b = dump(reader);
  CHECK(strcmp(a, b) == 0);
  free(a);
  free(b);
  check_totals(reader);
}

/* Replaying changes nothing, and what is there follows from the ledger to the bit. */
static void prove(scant_study *reader) {
  check_verified(m.study);
  check_verified(reader);
  char *before = dump(m.study);
  GOOD(scant_study_replay(m.study, &said));
  check_unchanged(m.study, before, "replayed", __LINE__);
  check_learner();
}

static void change(order *any, order *late) {
  size_t dice = test_below(100);
  if (!m.rewrites)
    ask_old(any);
  else if (dice < 30)
    correct_some(dice < 12 ? any : late);
  else if (dice < 50)
    erase_some(dice < 35 ? any : late, NULL);
  else if (dice < 58 && m.past_count)
    erase_some(NULL, &m.pasts[test_below(m.past_count)]);
  else if (dice < 66 && m.past_count)
    correct_past(&m.pasts[test_below(m.past_count)]);
  else if (dice < 96)
    amend_some();
  else
    freeze_some();
}

static void operate(scant_study *reader) {
  order *any = m.count ? &m.orders[test_below(m.count)] : NULL;
  order *late = m.count ? &m.orders[m.count - 1 - test_below(m.count < 30 ? m.count : 30)] : NULL;
  size_t dice = test_below(100);
  order *ended = NULL; /* the last one that ended: mostly it is that which is taken back */
  for (size_t i = 0; i < m.count; i++)
    if (m.orders[i].state > SCANT_ORDER_LEARNED && m.orders[i].state != SCANT_ORDER_ERASED && test_below(4))
      ended = &m.orders[i];
  if (!any || dice < 22)
    ask_new();
  else if (dice < 25)
    ask_several();
  else if (dice < 28)
    ask_old(any);
  else if (dice < 48)
    tell_some(late, 2);
  else if (dice < 72)
    tell_some(late, 4);
  else if (dice < 73)
    tell_wrong(any);
  else if (dice < 74)
    tell_unconfirmed(late);
  else if (dice < 75)
    tell_extra(late);
  else if (dice < 80)
    end_some(dice < 77 ? any : late);
  else if (dice < 83)
    take_end_back(ended ? ended : any);
  else if (dice < 88)
    change(any, late);
  else if (dice < 92)
    import_some();
  else if (dice < 94)
    reopen();
  else if (dice < 97)
    read_meanwhile(reader);
  else
    tell_extra(late);
  if (m.seconds_too && any && test_below(m.second_needed ? 2 : 8) == 0)
    tell_second(test_below(4) ? late : any, 3 + test_below(2));
}

typedef struct scenario {
  const char *name, *settings;
  catalogue_kind kind;
  int rewrites;
  uint64_t seed;
  int shared; /* several handles take turns */
  int operations;
  int second; /* entries: 0: none, 1: some, 2: they are demanded */
} scenario;

static const scenario scenarios[] = {
    {"auto_plain", "algorithm=auto k=4 seed=1 max-open=40", PLAIN, 0, 1, 0, 500},
    {"auto_with_prices", "algorithm=auto k=4 seed=2 budget-cost=1500", PRICED, 0, 2, 0, 600},
    {"auto_with_all", "algorithm=auto k=3 seed=3 missing=skip-example budget-cost=6000", PRICED, 1, 3, 0, 2000, 1},
    {"gaussian_with_all", "algorithm=gaussian k=3 seed=3 budget-cost=1500", PRICED, 1, 12, 0, 600, 2},
    {"auto_known_but_free", "algorithm=auto k=3 seed=4 budget=600", FREE_GROUPS, 1, 4, 0, 600, 2},
    {"ridge_by_money", "algorithm=ridge k=5 spend=14 seed=5 budget-cost=1200", PRICED, 1, 5, 0, 500},
    {"svr_plain", "algorithm=svr k=4 seed=6", PLAIN, 1, 6, 0, 500},
    {"aerr_plain", "algorithm=aerr k=4 seed=7 budget=900", PLAIN, 0, 7, 0, 600},
    {"aerr_with_all", "algorithm=aerr k=4 seed=8", PLAIN, 1, 8, 0, 800, 1},
    {"auto_shared", "algorithm=auto k=4 seed=9 max-open=40", PLAIN, 0, 9, 1, 500},
    {"auto_shared_with_all", "algorithm=auto k=3 seed=10 budget-cost=2500", PRICED, 1, 10, 1, 800, 1},
};

static scenario now; /* the one that is run */

/* The model and the study of the scenario, with nothing in them. */
static void begin(const char *path) {
  memset(&m, 0, sizeof m);
  test_state = now.seed * 0x9e3779b97f4a7c15u + 1;
  m.path = path;
  m.kind = now.kind;
  m.rewrites = now.rewrites;
  m.d = D;
  memcpy(m.catalogue, catalogue_of(D, m.kind), D * sizeof *m.catalogue);
  scant_settings settings = dense_settings(now.settings);
  study_remove(path);
  m.second_needed = now.second == 2;
  m.seconds_too = now.second > 0;
  for (size_t i = 0; i < D; i++) m.catalogue[i].usual_low = m.catalogue[i].usual_high = NAN;
  m.catalogue[1].usual_high = 2;
  scant_study_terms terms = {.second_entry = m.second_needed};
  GOOD(scant_study_create_with(path, &settings, m.catalogue, D, &terms, &said));
  m.study = open_any(SCANT_STUDY_WRITE);
  m.events = 1;
  m.settings = *scant_study_settings(m.study);
  m.settings.learning.max_open++; /* imports need no order */
  snprintf(m.algorithm, sizeof m.algorithm, "%s", m.settings.learning.algorithm);
  m.settings.learning.algorithm = m.algorithm;
  m.dense = strcmp(m.algorithm, "gaussian") == 0;
  m.imports_taken = strcmp(m.algorithm, "aerr") != 0;
  m.budget = (uint64_t)llround(100 * m.settings.run.budget_cost);
  m.attributes_budget = m.settings.run.budget;
  new_learner();
  if (!now.shared) return;
  scant_study_close(m.study);
  for (size_t i = 0; i < HANDLES; i++) m.shared[i] = open_any(SCANT_STUDY_SHARE);
  m.study = m.shared[0];
}

static void end(scant_study *reader) {
  scant_study_close(reader);
  for (size_t i = 0; i < HANDLES; i++)
    if (m.shared[i] != m.study) scant_study_close(m.shared[i]);
  scant_study_close(m.study);
  m.study = open_any(SCANT_STUDY_WRITE);
  check_learner();
  check_verified(m.study);
  scant_study_close(m.study);
  study_remove(m.path);
  for (size_t i = 0; i < m.count; i++) scant_look_free(m.orders[i].look);
  drop_learner();
}

TEST(random_operations) {
  static char path[500];
  snprintf(path, sizeof path, "%s", study_path("random"));
  begin(path);
  scant_study *reader = open_any(SCANT_STUDY_READ);
  const char *wanted = getenv("SCANT_STUDY_OPERATIONS");
  int operations = wanted ? atoi(wanted) : now.operations / SCALE;
  for (int i = 0; i < operations; i++) {
    go_on_by_another();
    operate(reader);
    if (i % 4 == 0) check_totals(m.study);
    if (i % 25 == 0) check_learner();
    if (i % 400 == 399) prove(reader);
    if (check_failures > 20) break;
  }
  for (size_t i = 0; i < m.count; i++) check_order(m.study, i);
  check_money(m.study);
  prove(reader);
  printf("# %s: %llu events, %zu orders, %llu learned, %llu refused, %llu by budgets; ", now.name,
         (unsigned long long)m.events, m.count, (unsigned long long)m.learned, (unsigned long long)m.refused,
         (unsigned long long)m.budget_refused);
  printf("%llu reopened, %llu corrected, %llu erased, %llu amendments, %llu second entries, %llu extras\n",
         (unsigned long long)m.reopened, (unsigned long long)m.corrected, (unsigned long long)m.erased,
         (unsigned long long)m.amendments, (unsigned long long)m.seconds, (unsigned long long)m.extras);
  CHECK(m.learned > 20 / SCALE && (m.reopened > 0 || SCALE > 1));
  CHECK(SCALE > 1 || !m.budget || m.budget_refused > 0);
  CHECK(SCALE > 1 || !m.rewrites || (m.corrected && m.erased && m.amendments && m.extras));
  CHECK(SCALE > 1 || !now.second || m.seconds > 10);
  end(reader);
}

int main(int count, char **words) {
  study_begin_tests();
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    now = scenarios[i];
    check_run(random_operations, now.name);
  }
  /* further seeds, as many as asked for */
  for (uint64_t seed = 100; count > 1 && seed < 100 + strtoull(words[1], NULL, 10); seed++) {
    now =
        (scenario){"further", "algorithm=auto k=4 seed=2 budget-cost=1500", PRICED, seed % 2, seed, seed % 3 == 0, 600};
    check_run(random_operations, now.name);
  }
  return study_end_tests();
}
