/* Replaying a learner: for programs that keep looks and values and tell them again, as libscant-study does.
 *
 *   generation  which generation of learners this is
 *   traits      what the looks of a learner need and tell
 *   terms       looks that were asked for under other terms, and attributes that are never asked for
 *   transcript  purchases that other learners are told again: for errors and risks
 *   looks file  looks as CSV or NPY, written as they come
 *
 * To learn, scant.h is enough.  Until version 1.0 this header may change with every version.
 */
#ifndef SCANT_REPLAY_H
#define SCANT_REPLAY_H

#include "scant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever a learner of any algorithm draws other looks, or learns otherwise from the same, than it did before:
 * what was drawn by another generation can't be drawn again to the bit, but the looks that it drew can be told. */
#define SCANT_LEARNER_GENERATION 3

/* ---- settings ------------------------------------------------------------------ */

/* scant_settings_choose for a learner that is told late: gaussian wherever it is possible, however long it may think,
 * since late answers teach it as much. */
SCANT_API int scant_settings_choose_for_study(scant_settings *settings, size_t dimension, uint64_t examples,
                                              const scant_prices *prices, scant_error *why);

/* Clip none is not serialized: so clip becomes none here, not its default, if it was not read. */
SCANT_API void scant_settings_recall_clip(scant_settings *settings);

/* ---- the learner ---------------------------------------------------------------- */

typedef struct scant_learner_traits {
  uint64_t tag;    /* scant_look.learner of its looks; other prices or barred attributes make it another one */
  int whole;       /* its looks have every attribute */
  int independent; /* draws of a look are independent, each with gradient_probability */
  int ageless;     /* it is told with its present weights and means: those in a look need not be kept */
  int fleeting;    /* some chances of a look are known only until something else is asked or told */
  int retold;      /* other learners can be told what it was told (scant_transcript) */
  int own_errors;  /* it makes errors from what it keeps of its answers: without a transcript */
} scant_learner_traits;
SCANT_API void scant_learner_get_traits(const scant_learner *learner, scant_learner_traits *traits);

/* Marks attributes that it never asks for, before prices and before the first look.  With prices each of them must be
 * an item of its own that costs nothing.  SCANT_USAGE if the law of its looks can't leave any out. */
SCANT_API scant_status scant_learner_bar(scant_learner *learner, const unsigned char *barred, scant_error *error);

/* From now on a dense algorithm chooses its prior by groups of its examples while they are few.  It is not saved. */
SCANT_API void scant_learner_choose_by_groups(scant_learner *learner);

/* scant_learner_unpenalise for a list: "all", or names separated by commas, which they may hold themselves.  `name_at`
 * gives the name of an attribute.  SCANT_USAGE names what is no attribute, or comes twice. */
typedef const char *scant_attribute_name(const void *user, size_t attribute);
SCANT_API scant_status scant_learner_unpenalise_named(scant_learner *learner, const char *list,
                                                      scant_attribute_name *name_at, const void *user,
                                                      scant_error *error);

/* Makes room in a look for so many attributes and residual draws; 0: out of memory. */
SCANT_API int scant_look_reserve(scant_look *look, size_t places, size_t sequence);

/* Tells an open look that was asked for under other terms: with other prices, groups, K or attributes, of which there
 * were fewer then.  `left_out` (NULL: none) marks places whose value is NaN because nothing may be learned of them: an
 * example is not skipped for such a place. */
SCANT_API scant_status scant_learner_tell_given(scant_learner *learner, const scant_look *look,
                                                const unsigned char *left_out, const double *values, double y,
                                                scant_error *error);

/* Marks a model whose ledger has purchases at other terms than its own: scant_model_is_amended. */
SCANT_API void scant_model_set_amended(scant_model *model);

/* ---- transcripts ---------------------------------------------------------- */

/* Purchases in the order in which a learner was told them. */
typedef struct scant_transcript scant_transcript;

/* A transcript that may take `gib` GiB; beyond that it drops them all. */
SCANT_API scant_status scant_transcript_new(scant_transcript **transcript, double gib, scant_error *error);
SCANT_API void scant_transcript_free(scant_transcript *transcript);

/* Adds a purchase that the learner asked for and has not been told yet; `left_out` as above.  Where there is no room
 * for it all are dropped: what was bought must be learned from all the same. */
SCANT_API void scant_transcript_add(scant_transcript *transcript, const scant_learner *learner, const scant_look *look,
                                    const unsigned char *left_out, const double *values, double y);

/* Can the learner have errors?  SCANT_DATA: its examples are too few; SCANT_USAGE: its algorithm has none. */
SCANT_API scant_status scant_learner_check_errors(const scant_learner *learner, scant_error *error);

/* Adds errors to a model of the learner, as scant_fit_errors does.  They come from learners like it that are told all
 * in the transcript but one group of examples; with traits.own_errors from itself, and the transcript may be NULL.
 * SCANT_MEMORY: the purchases were dropped. */
SCANT_API scant_status scant_learner_errors(scant_learner *learner, const scant_transcript *transcript,
                                            scant_model *model, scant_error *error);

/* The risk of the regressor that learns from the first `count` purchases of a transcript (SIZE_MAX: all), and its
 * standard error; NaN: not known.  While the purchases are few, one of the engines (NULL: none) judges by the joint
 * distribution of what was told, if it can; else the learner says it.  Without a transcript (NULL) the risk is that of
 * the learner's own regressor.  SCANT_MEMORY: the purchases were dropped. */
SCANT_API scant_status scant_learner_risk(scant_learner *learner, const scant_engine *const *engines,
                                          const scant_transcript *transcript, size_t count, double *risk,
                                          double *risk_error, scant_error *error);
/* Does a transcript tell more of the risk than the learner itself? */
SCANT_API int scant_learner_risk_needs_transcript(const scant_learner *learner, const scant_engine *const *engines);

/* ---- looks on file ------------------------------------------------------------------ */

/* A line for every attribute that was bought, as docs/looks.md says.  Lines are written as they come, so that memory
 * does not grow with them, and the files replace what is there when they are whole. */
typedef struct scant_looks_file scant_looks_file;

/* A file of looks at `path` and, unless `pairs` is NULL, one of the chances of pairs; CSV or NPY by the end of its
 * name.  `name_at` gives the names of the attributes, which are copied; NULL of the first one: they are numbered.
 * SCANT_USAGE: a path ends neither with .csv nor with .npy, or both are the same.  O(dimension) memory. */
SCANT_API scant_status scant_looks_file_new(scant_looks_file **file, const char *path, const char *pairs,
                                            size_t dimension, scant_attribute_name *name_at, const void *user,
                                            scant_error *error);
/* Leaves what is there as it was.  NULL is allowed. */
SCANT_API void scant_looks_file_free(scant_looks_file *file);
/* The files replace what is there, and the object is freed, also on failure. */
SCANT_API scant_status scant_looks_file_end(scant_looks_file *file, scant_error *error);

/* An example that was bought. */
typedef struct scant_looks_example {
  uint64_t example;     /* its number, from 0 */
  const char *label;    /* what CSV calls it; NULL: its number from 1 */
  uint64_t pass;        /* from 0 */
  const double *values; /* of the look; NaN: missing */
  double y;
  const scant_prices *prices; /* NULL: none */
  const double *paid;         /* what each place cost, if that is known without prices; else NULL */
  int observed;               /* what is missing was not bought */
  int foreign;                /* the look was outside the library, and is to be checked */
} scant_looks_example;

/* Adds the lines of an example.  The learner is the one that asked, or one of the same algorithm.  *unknown (or NULL)
 * becomes 1 if a line has no chance at all, neither of a draw nor of being in the look, and else 0. */
SCANT_API scant_status scant_looks_file_add(scant_looks_file *file, const scant_looks_example *bought,
                                            const scant_learner *learner, const scant_look *look, int *unknown,
                                            scant_error *error);

#ifdef __cplusplus
}
#endif

#endif
