/* Answers of sums in memory, by a fixed tree.
 *
 * The leaves are groups of records: those with the same block / SCANT_SUMS_GROUP.  Within a part they are joined by the
 * binary tree of the numbers of groups, of which a branch without blocks is left out; parts are joined by the same tree
 * of their places.  So parts that are runs of whole subtrees give the tree that all blocks in one part would give.
 *
 * Threads work on subtrees, and the tree is the same for any number of them. */
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "blas.h"
#include "sums/reply.h"

#define NONE SIZE_MAX

typedef struct {
  size_t left, right; /* NONE: a leaf */
  const scant_sums *part;
  size_t first, after; /* of a leaf: its records */
  size_t weight;       /* records below it */
  size_t job;          /* that made its reply; NONE: none did */
} node;

typedef struct {
  node *nodes;
  size_t count, root; /* root NONE: there are no blocks */
} tree;

typedef struct {
  tree tree;
  size_t dimension;
  uint64_t threads;
} here;

/* ---- the tree ------------------------------------------------------------------------------ */

static uint64_t group_of(const scant_sums *s, size_t record) {
  return s->records[record]->block / SCANT_SUMS_GROUP;
}

static size_t count_groups(const scant_sums *s) {
  size_t groups = 0;
  for (size_t i = 0; i < s->count; i++) groups += !i || group_of(s, i) != group_of(s, i - 1);
  return groups;
}

static size_t add_node(tree *t, node n) {
  n.job = NONE;
  t->nodes[t->count] = n;
  return t->count++;
}

static size_t join(tree *t, size_t left, size_t right) {
  if (left == NONE || right == NONE) return left == NONE ? right : left;
  return add_node(t, (node){.left = left, .right = right, .weight = t->nodes[left].weight + t->nodes[right].weight});
}

/* The tree of some records: it parts where the numbers of their groups first differ.  As deep as numbers have bits. */
static size_t grow(tree *t, const scant_sums *s, size_t first, size_t after) {
  if (first == after) return NONE;
  uint64_t low = group_of(s, first), high = group_of(s, after - 1), bit = 1;
  if (low == high)
    return add_node(
        t, (node){.left = NONE, .right = NONE, .part = s, .first = first, .after = after, .weight = after - first});
  while ((low ^ high) / 2 >= bit) bit *= 2;
  uint64_t start = high / bit * bit; /* the first group of the right side */
  size_t from = first, to = after;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (group_of(s, middle) < start)
      from = middle + 1;
    else
      to = middle;
  }
  size_t left = grow(t, s, first, from), right = grow(t, s, from, after);
  return join(t, left, right);
}

/* 0: out of memory. */
static int tree_new(tree *t, const scant_sums *const *parts, size_t count) {
  size_t groups = 0;
  for (size_t i = 0; i < count; i++) groups += count_groups(parts[i]);
  t->nodes = scant_array(2 * groups, sizeof *t->nodes);
  size_t *level = scant_array(count, sizeof *level);
  if (!t->nodes || !level) {
    free(level);
    return 0;
  }
  for (size_t i = 0; i < count; i++) level[i] = grow(t, parts[i], 0, parts[i]->count);
  for (size_t left = count; left > 1; left = (left + 1) / 2)
    for (size_t i = 0; i < left; i += 2) level[i / 2] = i + 1 < left ? join(t, level[i], level[i + 1]) : level[i];
  t->root = count ? level[0] : NONE;
  free(level);
  return 1;
}

/* ---- answering ----------------------------------------------------------------------------- */

typedef struct {
  tree *tree;
  const scant_request *request;
  size_t *roots; /* of the subtrees that jobs work on */
  size_t jobs;
  uint64_t threads;
  scant_reply *replies; /* of each job */
} asking;

/* The reply of a subtree; its caller frees it, after a failure, too. */
static scant_status answer(const asking *k, size_t at, scant_reply *reply, scant_error *error) {
  const node *n = &k->tree->nodes[at];
  if (n->job != NONE) { /* it is there */
    *reply = k->replies[n->job];
    k->replies[n->job] = (scant_reply){0};
    return SCANT_OK;
  }
  if (n->left == NONE) return scant_records_answer(n->part, n->first, n->after, k->request, reply, error);
  scant_reply other = {0};
  scant_status status = answer(k, n->left, reply, error);
  if (status == SCANT_OK) status = answer(k, n->right, &other, error);
  if (status == SCANT_OK) status = scant_reply_take(reply, &other, error);
  scant_reply_free(&other);
  return status;
}

static scant_status do_job(void *user, size_t job, scant_error *error) {
  const asking *k = user;
  return answer(k, k->roots[job], &k->replies[job], error);
}

/* Several jobs for each thread, so that none waits long: the heaviest subtree is split until there are so many. */
static void share_out(asking *k, size_t most) {
  k->roots[0] = k->tree->root;
  k->jobs = 1;
  while (k->jobs < most) {
    size_t heaviest = NONE;
    for (size_t i = 0; i < k->jobs; i++) {
      const node *n = &k->tree->nodes[k->roots[i]];
      if (n->left != NONE && (heaviest == NONE || n->weight > k->tree->nodes[k->roots[heaviest]].weight)) heaviest = i;
    }
    if (heaviest == NONE) return;
    const node *n = &k->tree->nodes[k->roots[heaviest]];
    k->roots[heaviest] = n->left;
    k->roots[k->jobs++] = n->right;
  }
}

/* The tree is a copy, since jobs are noted in it. */
static scant_status ask_tree(tree t, const scant_request *q, uint64_t threads, scant_reply *reply, scant_error *error) {
  size_t most = threads < 2 ? 1 : threads < 64 ? 4 * (size_t)threads : 256;
  *reply = (scant_reply){.kind = q->kind, .dimension = q->dimension, .variables = scant_request_variables(q)};
  if (t.root == NONE) return SCANT_OK;
  asking k = {.tree = &t, .request = q, .threads = threads ? threads : 1};
  node *nodes = scant_array(t.count, sizeof *nodes);
  k.roots = scant_array(most, sizeof *k.roots);
  k.replies = scant_array(most, sizeof *k.replies);
  scant_status status = nodes && k.roots && k.replies ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_blas_begin(k.threads, error);
  if (status == SCANT_OK) {
    memcpy(nodes, t.nodes, t.count * sizeof *nodes);
    t.nodes = nodes;
    share_out(&k, most);
    status = scant_jobs_run(k.jobs, k.threads, do_job, &k, error);
    for (size_t i = 0; i < k.jobs; i++) nodes[k.roots[i]].job = i;
    if (status == SCANT_OK) status = answer(&k, t.root, reply, error);
    scant_blas_end(k.threads);
  }
  for (size_t i = 0; k.replies && i < k.jobs; i++) scant_reply_free(&k.replies[i]);
  if (status != SCANT_OK) scant_reply_free(reply);
  free(nodes);
  free(k.roots);
  free(k.replies);
  return status;
}

/* ---- the asker ----------------------------------------------------------------------------- */

static scant_status ask_here(const here *h, const scant_request *q, scant_reply *reply, scant_error *error) {
  if (h->dimension != q->dimension)
    return scant_fail(error, SCANT_DATA, "the request is of %zu attributes, and the sums are of %zu", q->dimension,
                      h->dimension);
  return ask_tree(h->tree, q, h->threads, reply, error);
}

static scant_status ask_bytes(void *user, const unsigned char *request, size_t size, unsigned char **reply,
                              size_t *reply_size, scant_error *error) {
  scant_request q = {0};
  scant_reply r = {0};
  SCANT_TRY(scant_request_decode(&q, request, size, error));
  scant_status status = ask_here(user, &q, &r, error);
  if (status == SCANT_OK) status = scant_reply_encode(&r, reply, reply_size, error);
  scant_reply_free(&r);
  scant_request_free(&q);
  return status;
}

scant_status scant_sums_answer(const scant_sums *sums, const unsigned char *request, size_t size, unsigned char **reply,
                               size_t *reply_size, scant_error *error) {
  here h = {.dimension = sums->dimension, .threads = 1};
  scant_status status = tree_new(&h.tree, &sums, 1) ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = ask_bytes(&h, request, size, reply, reply_size, error);
  free(h.tree.nodes);
  return status;
}

void scant_asker_here_free(scant_asker *asker) {
  if (!asker) return;
  here *h = asker->user;
  free(h->tree.nodes);
  free(h);
  free(asker);
}

static int compare(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  return *a < *b ? -1 : *a > *b;
}

/* A block that is in two parts would count twice. */
static scant_status check_blocks(const scant_sums *const *parts, size_t count, scant_error *error) {
  size_t total = 0, at = 0;
  for (size_t i = 0; i < count; i++) total += parts[i]->count;
  uint64_t *blocks = scant_array(total, sizeof *blocks);
  if (!blocks) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < parts[i]->count; k++) blocks[at++] = parts[i]->records[k]->block;
  qsort(blocks, total, sizeof *blocks, compare);
  for (at = 1; at < total && blocks[at] != blocks[at - 1];) at++;
  uint64_t twice = at < total ? blocks[at] : 0;
  free(blocks);
  return at < total ? scant_fail(error, SCANT_DATA, "block %llu is in two parts", (unsigned long long)twice) : SCANT_OK;
}

static scant_status check_limits(const scant_sums *const *parts, size_t count, scant_error *error) {
  const scant_sums *first = NULL;
  for (size_t i = 0; i < count; i++) {
    scant_error inner;
    if (!parts[i]->count) continue;
    if (!first) first = parts[i];
    if (scant_sums_check_limits(first, parts[i]->limits, &inner) != SCANT_OK)
      return scant_fail(error, SCANT_DATA, "part %zu does not go with those before it: %s", i, inner.text);
  }
  return SCANT_OK;
}

scant_status scant_asker_here(scant_asker **asker, const scant_sums *const *parts, size_t count, uint64_t threads,
                              scant_error *error) {
  if (!count) return scant_fail(error, SCANT_MISUSE, "there are no sums to ask");
  for (size_t i = 1; i < count; i++)
    if (parts[i]->dimension != parts[0]->dimension)
      return scant_fail(error, SCANT_DATA, "part %zu is of %zu attributes, and part 0 of %zu", i, parts[i]->dimension,
                        parts[0]->dimension);
  SCANT_TRY(check_blocks(parts, count, error));
  SCANT_TRY(check_limits(parts, count, error));
  scant_asker *a = scant_array(1, sizeof *a);
  here *h = a ? scant_array(1, sizeof *h) : NULL;
  if (!h) {
    free(a);
    return scant_fail_memory(error);
  }
  *a = (scant_asker){ask_bytes, h};
  h->dimension = parts[0]->dimension;
  h->threads = threads;
  if (!tree_new(&h->tree, parts, count)) {
    scant_asker_here_free(a);
    return scant_fail_memory(error);
  }
  *asker = a;
  return SCANT_OK;
}

/* ---- any asker ------------------------------------------------------------------------------- */

static scant_status ask_others(const scant_asker *asker, const scant_request *q, scant_reply *reply,
                               scant_error *error) {
  unsigned char *request = NULL, *said = NULL;
  size_t size, said_size = 0;
  SCANT_TRY(scant_request_encode(q, &request, &size, error));
  scant_status status = asker->ask(asker->user, request, size, &said, &said_size, error);
  scant_bytes_free(request);
  if (status != SCANT_OK) return status;
  status =
      said ? scant_reply_decode(reply, said, said_size, error) : scant_fail(error, SCANT_DATA, "there is no reply");
  scant_bytes_free(said);
  return status;
}

scant_status scant_asker_ask(const scant_asker *asker, const scant_request *request, scant_reply *reply,
                             scant_error *error) {
  const scant_request *q = request;
  scant_reply r = {0};
  SCANT_TRY(asker->ask == ask_bytes ? ask_here(asker->user, q, &r, error) : ask_others(asker, q, &r, error));
  if (r.kind != q->kind || r.dimension != q->dimension || r.variables != scant_request_variables(q)) {
    scant_reply_free(&r);
    return scant_fail(error, SCANT_DATA, "the reply is not one to the request");
  }
  *reply = r;
  return SCANT_OK;
}
