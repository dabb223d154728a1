"""Mutants that were picked by hand: faults that are easy to make, one area after the other.

Each names what it breaks, a short old text that occurs once in the code of a product
(or in the file named), what takes its place, and the tests that should notice.
"""

MUTANTS = []


def mutant(name, breaks, old, new, tests, file=None, equivalent=None):
    found = {"name": name, "breaks": breaks, "old": old, "new": new, "tests": tests.split()}
    if file:
        found["file"] = file
    if equivalent:
        found["equivalent"] = equivalent
    MUTANTS.append(found)


PATHS = "paths_4 paths_3 paths_2"

# ---- once not noticed by any test ------------------------------------------------------
mutant("risk-window", "the risk's window is three times as long",
       "2 * risk->before.count", "6 * risk->before.count", "risk")
mutant("risk-first-window", "the first window of the risk is three times as long",
       "SCANT_RISK_FIRST 64", "SCANT_RISK_FIRST 192", "risk")
mutant("average-risk-share", "the risk of the average forgets how far iterates are from it",
       "- (1 - share) * scant_ustatistic_risk(&of_away, 0)", "- 0 * (1 - share) * scant_ustatistic_risk(&of_away, 0)",
       "outcome ustatistic")
mutant("average-risk-lag", "the risk of the average judges its iterates by the weights frozen in the look",
       "v[i] = scant_iterate_weight(&l->w, look->attributes[i]);", "v[i] = look->weight[i];", "outcome",
       equivalent="a look of a learner that judges its average is renewed when it is told")
mutant("scale-errors", "the weights take any scale that seems to gain",
       "#define ERRORS 1.0", "#define ERRORS 0.0", "parabola")
mutant("scale-rescue", "weights that predict worse than the mean are left as they are",
       "return sure_gain(p, square, s, 0) > 0 ? s : climb(p, square, 0, s);", "return s;", "parabola honest")
mutant("ustatistic-squares", "the squares are dropped where looks are computed in vectors",
       "drawn += c; squares += c * c; own += c * ti;", "drawn += c; own += c * ti;", PATHS)
mutant("ustatistic-own", "what an item says of itself is dropped where looks are computed in vectors",
       "own += c * ti;", "own += c;", PATHS)
mutant("ustatistic-gradient", "the draws of the same attribute stay in its own gradient",
       "(u->drawn - a[i] * t[i]) * others", "u->drawn * others", "ustatistic " + PATHS)
mutant("ustatistic-certain", "the gradient of what is bought for certain forgets the draws",
       "certain = n > 0 ? u->drawn / n + rest : rest", "certain = rest", "ustatistic " + PATHS)
mutant("ddaerr-first-phase", "ddaerr averages its first phase too",
       "block <= l->looks.kind->phase(", "block < 0 * l->looks.kind->phase(", "updates")
mutant("richardson-r", "Richardson takes r = 1 whatever the halves",
       "r = 1 / n / ((1 / n1 + 1 / n2) / 2 - 1 / n)", "r = 1", "richardson " + PATHS)
mutant("genest-n", "GenEst's N is four times as large",
       "ceil(10 * (radius / smoothing)", "ceil(40 * (radius / smoothing)", "lemmas paper_genest")
mutant("draw-cap", "stopped looks make up to four draws per attribute",
       "most = 2 * left,", "most = 4 * left,", "ustatistic")
mutant("draw-cap-halves", "stopped looks with prices or halves make up to four draws per item",
       "most = 2 * left.items", "most = 4 * left.items", "richardson")
mutant("adaptive-eta", "the adaptive step is without its sqrt 2",
       "return sqrt(2.0) * l->settings", "return l->settings", "paper_aerr")
mutant("target-mean", "the mean of the target is not that of asking",
       "y - look->y_mean", "y - (look ? learner->y_moments.mean : 0)", "estimators")
mutant("no-fsync", "a file that replaces another is not brought to the disk first",
       "fsync(r->file) != 0 || rename(r->name, r->real) != 0", "rename(r->name, r->real) != 0", "file")
mutant("study-not-synchronous", "a study is opened with synchronous off",
       "PRAGMA synchronous = FULL; PRAGMA secure_delete", "PRAGMA synchronous = OFF; PRAGMA secure_delete",
       "study_faults study_files")
mutant("study-made-not-synchronous", "a study is made with synchronous off",
       '"PRAGMA synchronous = FULL", error); if (status == SCANT_OK) status = make(',
       '"PRAGMA synchronous = OFF", error); if (status == SCANT_OK) status = make(', "study_faults study_files")

# ---- estimators ---------------------------------------------------------------------
mutant("spread-share", "x~ is not divided by the number of draws",
       "look->gradient_scale / look->gradient_total", "look->gradient_scale", "estimators")
mutant("residual-factor", "a residual draw is not divided by its probability",
       "look->weight[i] / look->residual_probability[i]", "look->weight[i]", "estimators")
mutant("hinge-constant", "the hinge's derivative has no constant",
       "parts->constant = -y / 2;", "parts->constant = 0;", "lemmas estimators")
mutant("huber-corner", "huber's derivative is too large beyond its corner",
       "fmin(fmax(s - y, -form->tube), form->tube)", "fmin(fmax(s - y, -form->tube), 2 * form->tube)", "richardson lemmas")
mutant("genest-weight", "GenEst's coefficients have one sign",
       "m = frexp(-m / l, &shift)", "m = frexp(m / l, &shift)", "lemmas paper_genest")
mutant("genest-branch", "GenEst's groups begin one order too early",
       "order <= 2 * log2(group) ? 1 : group", "order < 2 * log2(group) ? 1 : group", "paper_genest")
mutant("genest-mean", "a factor of GenEst is the sum of its draws",
       "return sum / group;", "return sum;", "paper_genest paper_aesvr")
mutant("tube-sign", "the tube is on one side of the target alone",
       "parts->shift[0] = (y + t) / e;", "parts->shift[0] = (y - t) / e;", "paper_aesvr")
mutant("richardson-own", "an item's own draws stay among the others",
       "rest.sum[half] -= draws_in(look, first, half) * t", "rest.sum[half] -= 0 * draws_in(look, first, half) * t",
       "richardson " + PATHS)

# ---- sampling laws -----------------------------------------------------------------
mutant("law-halves", "the law explores less than half of the time",
       "(shares){(1 - share) / explore, share / follow}", "(shares){(1 - share) / 2 / explore, (1 + share) / 2 / follow}", "richardson")
mutant("certain-least", "an item is certain at half of the probability",
       "double least = 1 / law->market.expected", "double least = 0.5 / law->market.expected", "law")
mutant("certain-not-out", "what is bought for certain stays in the law",
       "law->explore[p] = law->follow[p] = 0;", "", "ustatistic")
mutant("sumtree-order", "a child of the tree of sums is passed over",
       "if (*u < child[c]) break;", "if (*u < child[c] / 2) break;", "draws")
mutant("inverse-guide", "a draw begins at the wrong guide",
       "guide[word >> inverse->shift]", "guide[word >> inverse->shift] + 1", "inverse")
mutant("residual-zero", "residual looks are bought while w = 0",
       "if (!(scant_sumtree_total(law) > 0)) return SCANT_OK;", "", "look estimators learner")
mutant("dda-moments", "ddaelr explores by deviations, not by second moments",
       "leaves[i] = is_lasso(l) ? moment : sqrt(moment)", "leaves[i] = sqrt(moment)", "law")
mutant("law-age", "looks drawn ahead by a law that is gone are kept",
       "if (ahead->law_age != looks->law.age) scant_ahead_forget(ahead);", "", "fit stream keep")
mutant("curiosity", "what never varied is explored like everything else",
       "m->count >= 2 && m->spread == 0 ? 2 / (2 + (double)m->count) : 1", "m ? 1 : 0", "law")

# ---- updates and averages -------------------------------------------------------------
mutant("eg-clip", "EG does not clip its gradient",
       "scant_clip(eta * g[r], 1)", "eta * g[r]", "paper_aelr")
mutant("gradient-ball", "projected gradient stays in a ball twice as large",
       "if (norm > w->radius) w->scale *= w->radius / norm", "if (norm > 2 * w->radius) w->scale *= 2 * w->radius / norm",
       "paper_aerr")
mutant("pegasos-shrink", "Pegasos does not shrink w",
       "w->scale *= 1 - 1 / t;", "", "paper_aer")
mutant("pegasos-step", "Pegasos makes half a step",
       "2 / (w->penalty * t) / w->scale", "1 / (w->penalty * t) / w->scale", "paper_aer")
mutant("pegasos-projection", "Pegasos projects onto a ball twice as large",
       "cut c = cut_find(law, w->d, w->radius / w->scale);", "cut c = cut_find(law, w->d, 2 * w->radius / w->scale);",
       "paper_aer")
mutant("eg-normalisation", "EG's weights are halved",
       "w->scale = w->radius / scant_sumtree_total(&w->mass);", "w->scale = w->radius / scant_sumtree_total(&w->mass) / 2;",
       "paper_aelr", "eg.c")
mutant("sinh-largest", "the largest gradient does not guard the t-statistic",
       "size[r] = s->squares + s->largest", "size[r] = s->squares", "ustatistic")
mutant("average-half", "the average of the last half is of two thirds",
       "block > l->looks.horizon / 2", "block > l->looks.horizon / 3", "updates")
mutant("average-late", "late averages weigh by t",
       "(double)block * (double)block", "(double)block", "updates")
mutant("booked-sign", "the lazy average books changes with the wrong sign",
       "c->booked -= (shape - c->shape) * clock", "c->booked += (shape - c->shape) * clock", "updates")

# ---- units ------------------------------------------------------------------------------
mutant("units-largest", "the largest deviation is not counted twice",
       "double squares = spread[i] + largest[i];", "double squares = spread[i];", "ustatistic " + PATHS)
mutant("units-mean", "weights go back without the intercept of the means",
       "if (l->centered) shift -= wi * l->moments[i].mean;", "", "ustatistic " + PATHS)
mutant("units-bound", "weights are not divided by x-bound",
       "w[i] = wi /", "w[i] = wi + 0 *", "learner")
mutant("missing-mean", "what is missing counts as 0 where nothing is centered",
       "x[i] = l->centered ? look->mean[i] : scant_learner_mean(l, look->attributes[i])",
       "x[i] = l->centered ? look->mean[i] : 0", "missing")
mutant("pool-factor", "the pooled variance does not know that a mean was estimated",
       "deviation * deviation * (l->centered ? n / (n + 1) : 1)", "deviation * deviation * (l->centered ? n / n : 1)", "law")

# ---- prices, thrift, the stop rule ------------------------------------------------------
mutant("thrift-root", "a discount is not the root of the cost",
       "return 1 / sqrt(1 + rate * (double)prices->cost[item] / mean)",
       "return 1 / (1 + rate * (double)prices->cost[item] / mean)", "costs prices money")
mutant("thrift-passes", "every pass may spend what an example may",
       "return spend /", "return spend + 0 *", "costs money prices")
mutant("stop-money", "a draw that is too dear is passed over, and drawing goes on",
       "if (!take_draw(looks, look, item, q, &left)) return;", "take_draw(looks, look, item, q, &left);",
       "prices")
mutant("group-cost", "a group costs what its last member costs",
       "c.money += p->cost[*item];", "c.money = p->cost[*item];", "money meter costs")
mutant("free-in-k", "what is free counts in K",
       "left.items -= r >= law->market.free_count", "left.items -= 1", "prices costs")
mutant("dearest-two", "certain items may leave no money for two more",
       "if (cost + law->market.prices->dearest_two > left) continue;", "if (cost > left) continue;", "prices")

# ---- meter and ledger -----------------------------------------------------------------
mutant("meter-budget", "the budget may be passed by one",
       "m->ledger.attributes_bought + c->items > m->budget", "m->ledger.attributes_bought + c->items > m->budget + 1",
       "meter")
mutant("meter-k", "an example may be bought once more",
       "m->k && before + c->items > m->k", "m->k && c->items > m->k", "meter")
mutant("meter-max", "the most bought of an example is that of the last one",
       "if (after >", "if (after + 1000 >", "meter fit", "meter.c")
mutant("meter-paid", "what an example cost is not noted",
       "if (m->paid) m->paid[row] += c.money;", "", "money meter")
mutant("meter-distinct", "an example that comes again is a new one",
       "distinct_examples += m->bought[row] == 0", "distinct_examples += 1", "meter fit")

# ---- checkpoints, keeping, restoring --------------------------------------------------------
mutant("keep-risk", "a kept learner forgets the size of its gradients",
       'scant_json_real(out, "gradient_size", l->gradient_size)', 'scant_json_real(out, "gradient_size", 0)',
       "learner keep")
mutant("keep-pool", "a kept learner forgets the pooled variance that its law knows",
       "{looks->pool->sum, looks->pool->count, law->pool}", "{looks->pool->sum, looks->pool->count, 0}", "learner")
mutant("resume-order", "a resumed fit forgets the orders of earlier passes",
       "for (uint64_t p = 1; p <= pass; p++) scant_fit_start_pass(f, p)", "scant_fit_start_pass(f, pass)", "fit")
mutant("resume-data", "a checkpoint is taken up with other data",
       "|| now != then)", "|| now == 0)", "fit")
mutant("keep-random", "a kept learner forgets one of its two generators",
       'save_random(out, "random_by_w", &l->looks.rng_by_w)', 'save_random(out, "random_by_w", &l->looks.rng)', "learner keep")

# ---- sources --------------------------------------------------------------------------
mutant("csv-quote", "doubled quotes of a field stay doubled",
       "if (field->doubled && field->text[i] == '\"') i++;", "", "csv text csv_line")
mutant("view-code", "a category holds for those behind it too",
       "? cell == code : cell", "? cell >= code : cell", "view command_files")
mutant("coding-once", "a cell with an unknown word is counted each time it is read",
       "if (coding->met[row / 8] & bit) return;", "", "view command_files")
mutant("types-rows", "types are those of the first 300 rows",
       "TYPED_ROWS = 100", "TYPED_ROWS = 300", "view")
mutant("absent-half", "half of the columns may not be absent",
       "|| 2 * v->absent > needed", "|| 2 * v->absent >= needed", "view command_files")
mutant("categories-cost", "every category costs what its column costs",
       "coding && priced[coding - 1] ? 0 : 100", "coding ? 100 : 100", "view command_files")
mutant("csv-carriage", "a carriage return stays in the last field",
       "&& c[-1] == '\\r') field->length--", "&& c[-1] == '\\r') field->length -= 0", "csv csv_line text source_fuzz")
mutant("libsvm-base", "libsvm's indices are counted from 0 where they are from 1",
       "index_base ? 1 : 0", "index_base ? 0 : 1", "libsvm")
mutant("npy-fortran", "tables in Fortran order are read in C order",
       "header.fortran_order ? size : columns * size", "columns * size", "npy")
mutant("npy-swapped", "numbers of the other byte order are not swapped",
       "*swapped = name[0] == (big ? '<' : '>')", "*swapped = name[0] == (big ? '>' : '<')", "npy")
mutant("idx-size", "the sizes of an IDX file are of the wrong byte order",
       "(uint32_t)at[0] << 24 | (uint32_t)at[1] << 16", "(uint32_t)at[1] << 24 | (uint32_t)at[0] << 16", "idx")
mutant("sparse-twice", "of entries that come twice the last one counts",
       "values[scant_order_place(order, i)] += value_of(sparse, entry)",
       "values[scant_order_place(order, i)] = value_of(sparse, entry)", "sparse")
mutant("missing-counted", "missing cells are not in the ledger",
       "m->ledger.missing_cells += missing;", "", "missing meter missing_fit")

# ---- model file, predictions, queries ---------------------------------------------------------
mutant("model-means", "a model file is without the means of the attributes",
       'scant_json_reals(out, "means", m->means', 'if (!m->dimension) scant_json_reals(out, "means", m->means',
       "model missing_fit")
mutant("model-infinite", "weights that are not finite are written",
       "if (!finite) return scant_fail(error, SCANT_DATA, \"a weight", "if (0 > finite) return scant_fail(error, SCANT_DATA, \"a weight",
       "model")
mutant("score-r2", "R^2 is not around the mean",
       "scant_sum_value(t->y_squared) - n * mean * mean", "scant_sum_value(t->y_squared) - 0 * n * mean * mean", "model")
mutant("score-accuracy", "accuracy counts predictions of 0",
       "t->correct += prediction * y > 0", "t->correct += prediction * y >= 0", "model")
mutant("query-variance", "what was told does not make a prediction surer",
       "q->variance = fmax(q->variance - target * target, 0)", "q->variance = fmax(q->variance, 0)", "few conditional")
mutant("conditional-share", "what is known already is not taken out of a new column",
       "column[i] -= share * before[i]", "column[i] -= 0 * share * before[i]", "conditional few")
mutant("known-coverage", "an interval covers what is above it",
       "t->covered += p->low <= y && y <= p->high", "t->covered += p->low <= y", "predictive few joint_file")

mutant("stop-width", "an interval may be a tenth wider than the rule says",
       "p.high - p.low <= stop->width", "p.high - p.low <= 1.1 * stop->width", "stop")
mutant("stop-sure", "buying stops when one value is almost sure enough",
       "scant_query_sure(q, &value) >= stop->sure", "scant_query_sure(q, &value) >= stop->sure - 0.05", "stop")
mutant("stop-spend", "an item is bought that costs a little more than is left",
       "if (o.price > most) {", "if (o.price > most + 20) {", "stop")
mutant("stop-dear", "what is too dear is taken for nothing to buy",
       "return choice->dear ? SCANT_VERDICT_SPEND : SCANT_VERDICT_NOTHING", "return SCANT_VERDICT_NOTHING", "stop")
mutant("stop-kept", "a choice under one limit is kept for another",
       "choice->attribute == CHOICE_UNKNOWN || choice->most != most", "choice->attribute == CHOICE_UNKNOWN", "stop")
mutant("stop-have", "of a group only the attribute that is named is there already",
       "if (b->how.have[item[r]]) return 1;", "if (item[r] == attribute && b->how.have[item[r]]) return 1;", "stop")
mutant("offer-move", "what a purchase tells is forgotten where the probability's move is expected",
       "m + lowers * (g->values[i] - m) / left", "m", "stop")
mutant("name-words", "a word that is none of a column's counts as its first",
       "int is = !strcmp(word, value);", "int is = !strcmp(word, value) || !listed;", "by_name")

# ---- fit and tune -----------------------------------------------------------------------
mutant("fit-split", "the split is rounded down",
       "split * (double)n + 0.5)", "split * (double)n)", "fit")
mutant("tune-errors", "a candidate leads by its mean difference alone",
       "!(difference + STANDARD_ERRORS * error < 0)", "!(difference < 0)", "tune")
mutant("tune-paired", "candidates are compared by their own risks",
       "scant_risk_add(&c->difference, risk - first)", "scant_risk_add(&c->difference, risk)", "tune")
mutant("judge-unit", "a learner is judged in units of learning",
       "scant_ustatistic_risk(&u, target - intercept) * unit * unit", "scant_ustatistic_risk(&u, target - intercept) * unit",
       "learner")

# ---- EM, gaussian, moments --------------------------------------------------------------
mutant("em-delta", "the step of the means is not taken out of the covariance",
       "to->covariance[j * n + i] - r->delta[i] * r->delta[j]", "to->covariance[j * n + i]", "em_step em")
mutant("em-noise", "the prior is not divided by all",
       "to->covariance[i * n + i] += noise / (m + noise)", "to->covariance[i * n + i] += noise / m", "em_step em")
mutant("em-panels", "the panels leave out a column",
       "last = (job + 1) * n / p->panels", "last = (job + 1) * n / p->panels - (p->panels > 1)", "em_step em")
mutant("em-bend", "the third step starts where the second derivative has half its weight",
       "to[i] = zero[i] - 2 * a * r + a * a * v", "to[i] = zero[i] - 2 * a * r + a * a * v / 2", "em_step em")
mutant("em-mean", "the means stay where the second step left them",
       "extrapolate(n, a, now->mean, r->one.mean, r->two.mean, r->point.mean)",
       "extrapolate(n, -1, now->mean, r->one.mean, r->two.mean, r->point.mean)", "em_step em")
mutant("em-fall", "a round that falls is kept",
       "third + prior >= least - 1e-9 * fabs(least)", "third + prior >= least - 1", "em_step em")
mutant("em-prior-trace", "the objective forgets the trace of the prior",
       "r->options->noise * (log_det + trace)", "r->options->noise * log_det", "em_step em")
mutant("em-settled", "a run ends by the round before instead of the one before that",
       "before = shares[(round + 1) % (ROUNDS_COMPARED + 1)]", "before = shares[(round + 2) % (ROUNDS_COMPARED + 1)]", "em_step em")
mutant("em-approach", "the priors on the way are lighter by half only",
       "o.noise /= 4;", "o.noise /= 2;", "em_step em")
mutant("own-lanes", "idle lanes of a block count",
       "lane < batch->count; lane++) add(w, own", "lane < SCANT_LANES; lane++) add(w, own", "own")
mutant("own-size", "the target of a lane is the last row of its block",
       "size_t last = sizes[lane] - 1;", "size_t last = sizes[lane] > n ? 0 : n - 1;", "own")
mutant("own-factor", "examples that are alike are predicted without factors",
       "w->dense[i * n + i] *= w->factor[v[i]];", "", "own")
mutant("own-target", "the target's variance is raised like the others'",
       "j + 1 < seen->variables ? fmin((factor", "j < seen->variables ? fmin((factor", "own choose_prior")
mutant("own-variance", "the variance is its root", "add(w, own, examples[k], w->deviations[n - 1] * root, root * root,",
       "add(w, own, examples[k], w->deviations[n - 1] * root, root,", "own")
mutant("choose-halves", "each half is judged by itself",
       "&s->normal[1 - half], s->factor", "&s->normal[half], s->factor", "choose_prior")
mutant("choose-cross", "the terms of the risk are by a half's own covariance",
       "scant_regress_terms(&s->normal[1 - h]", "scant_regress_terms(&s->normal[h]", "choose_prior")
mutant("choose-patience", "the search ends at the first weight that is no better",
       "PATIENCE = 2", "PATIENCE = 1", "choose_prior")
mutant("stop-measured", "a prior whose EMs were stopped is compared with those that converged",
       "if (scant_thinking_stopped(s->options.thinking)) break;", "", "thinking", file="choose_prior.c")
mutant("stop-law", "looks are chosen by a fit that was cut short",
       "if (status == SCANT_OK && stopped && !reading)", "if (0)", "thinking")
mutant("stop-cut", "a regressor that was cut short counts as whole",
       "s->fit.read && !s->fit.cut", "s->fit.read", "thinking")
mutant("stop-nothing", "a regressor that was stopped before a prior was tried is made of a few steps",
       "if (!tried && scant_thinking_stopped(thinking) && (s->fit.w || s->law_fit.w)) return SCANT_OK;", "", "thinking")
mutant("choose-start", "the start is where the last weight led",
       "swap(&s.normal[h], &s.best[h])", "(void)swap", "choose_prior")
mutant("choose-penalty", "the penalty is chosen without the disagreement of the halves",
       "1 - 2 * t->product + t->square + t->disagreement / 2", "1 - 2 * t->product + t->square", "choose_prior")
mutant("choose-trust", "the risk trusts what raised variances say",
       "trust = t->own / t->own_expected", "trust = t->own / t->own_variance", "choose_prior")
mutant("choose-disagreement", "the disagreement of the halves stays in the risk",
       "taken = t->disagreement / 4", "taken = 0 * t->disagreement", "choose_prior")
mutant("choose-shrunk", "weights that are no better than the mean stay",
       "if (choice->risk >= 1) choice->scale = 0;", "", "choose_prior")
mutant("own-expected", "what is expected of an error has the raised variances in it",
       "said -= row[k][lane] * row[k][lane] * raised[k][lane]", "said -= 0 * row[k][lane] * raised[k][lane]", "own")
mutant("frame-limits", "limits are made of half the looks",
       "i < scant_answers_entries(looks); i++) scant_limits_add", "i < scant_answers_entries(looks) / 2; i++) scant_limits_add",
       "frame")
mutant("frame-clip", "centers and units are of values that were not clipped",
       "double x = scant_frame_clip(f, j, looks->value[i]);", "double x = looks->value[i];", "frame")
mutant("frame-seen", "what was seen is not clipped",
       "(scant_frame_clip(f, l->attribute[i], l->value[i]) - f->center[v])", "(l->value[i] - f->center[v])", "frame")
mutant("frame-known", "an attribute that was hardly active gets a weight",
       "f->factor[v] = known ? guess : INFINITY", "f->factor[v] = known || guess > 0 ? guess : INFINITY", "frame")
mutant("blocks-parts", "halves and groups split blocks", "scant_answers_block(looks, example) % c->parts", "(looks ? example : 0) % c->parts",
       "dense_blocks")
mutant("blocks-folds", "folds of moments split blocks", "sum_up(s, l->block, count", "sum_up(s, l->told, count", "dense_blocks")
mutant("blocks-held", "folds of what was held back split blocks", "sum_up(s, scant_answers_block(h, t)", "sum_up(s, t", "dense_blocks")
mutant("blocks-units", "rows are the units of own errors", "own->weighted_squares += sum * sum;", "own->weighted_squares += sum * sum / n;", "dense_blocks")
mutant("blocks-losses", "a group is judged by rows", "scant_seen_block(seen, e) % SCANT_ERROR_GROUPS == group", "e % SCANT_ERROR_GROUPS == group",
       "dense_blocks")
mutant("blocks-root", "a second QR forgets the first", "top = done ? size : 0", "top = 0", "expect dense_blocks")
mutant("blocks-matrix", "a reduced block counts as one example", "count * own[j] - square[j] - a", "own[j] - square[j] - a", "expect")
mutant("blocks-replay", "errors by replay split blocks", "uint64_t block = f->terms.settings.learning.block > 1 ? f->block",
       "uint64_t block = f->terms.settings.learning.block > 1 ? f->meter->ledger.examples - 1",
       "leave_out")
mutant("blocks-pairs", "pairs of a block count as if each row had a look", "PRIOR_COUNT * chance * rows", "PRIOR_COUNT * chance + 0 * rows", "dense_blocks")
mutant("gaussian-read", "a regressor that is read is the one that a law was made of",
       "s->fitted_at == l->told + 1 && s->fit.read && ", "s->fitted_at == l->told + 1 && ", "thinking gaussian_look")
mutant("gaussian-limits", "a model of gaussian has the limits the other way",
       "memcpy(low, frame->low, l->dimension * sizeof *low)", "memcpy(low, frame->high, l->dimension * sizeof *low)",
       "gaussian_model")
mutant("gaussian-excess", "predictions from a few attributes err as the model says",
       "(*gaussian)->excess = s->fit->choice.few_excess", "(*gaussian)->excess = 0", "gaussian_model")
mutant("gaussian-money", "money that is spent can be spent again",
       "left->money -= cost; left->items--;", "left->items--;", "gaussian_prices")
mutant("gaussian-group", "a group is learned from by its first member",
       "r < scant_market_size(&l->market, item); r++) scant_look_take(", "r < 1; r++) scant_look_take(",
       "gaussian_prices")
mutant("select-group", "a group gains what its members explain each alone",
       "with_target[a] -= row[b] * with_target[b] / sqrt(variance[b]);", "", "select")
mutant("select-known", "what is known for nothing is not taken out of the others",
       "if (isinf(items->value[g])) good =", "if (isinf(items->value[g]) && 0) good =", "select")
mutant("moments-shrink", "correlations of few pairs are not shrunk",
       "return excess > 0 ? t / (t + excess) : 1", "return excess > 0 ? t / t : 1", "moments")
mutant("moments-products", "a fold's noise is in the typical correlation",
       "t->products += sum * sum - squares", "t->products += sum * sum", "moments")

# ---- references -----------------------------------------------------------------------------
mutant("ridge-certificate", "the certificate of ridge does not see a slack radius",
       "fabs(lambda) * (lambda > 0 ? radius - norm : radius)", "fabs(lambda) * 0", "full")
mutant("lasso-certificate", "the certificate of lasso takes any gradient at 0",
       "fabs(gradient + copysign(lambda, w[j])) : fabs(gradient) - lambda", "fabs(gradient + copysign(lambda, w[j])) : 0",
       "full")
mutant("svr-certificate", "the dual of svr forgets the tube",
       "scant_sum_add(&dual, -tube * fabs(b));", "", "full")

# ---- studies ----------------------------------------------------------------------------------
mutant("study-spent", "what an answer costs stays reserved",
       "event.reserved = -event.spent;", "event.reserved = 0;", "study_orders study_random")
mutant("study-reopen", "a reopened order does not reserve what is still to come",
       "event.reserved = (int64_t)rest->spent;", "event.reserved = 0;", "study_reopen study_random")
mutant("study-erase-vacuum", "an erasure leaves free pages as they are",
       'sqlite3_exec(s->db, "VACUUM"', 'sqlite3_exec(s->db, "SELECT 1"', "study_erase")
mutant("study-erase-log", "an erasure leaves the log as it is",
       "SQLITE_CHECKPOINT_TRUNCATE", "SQLITE_CHECKPOINT_PASSIVE", "study_erase")
mutant("study-erase-crash", "an erasure that was interrupted is not finished",
       "scant_status status = study_sweep_if_due(s, 0, error);", "(void)error; scant_status status = SCANT_OK;", "study_erase_faults")
mutant("study-erase-listed", "what nobody has erased may be gone",
       "SCANT_TRY(study_check_erased(s, error));", "", "study_erase")
mutant("study-erase-means", "looks keep the means of the moment",
       "if (!traits.ageless) return;", "if (!study_algorithm(s)->dense) return;", "study_erase")
mutant("study-forecast", "a forecast shows the order to come",
       "scant_learner_reseed(copy, STREAM_PREVIEW + s->tip.sequence);", "", "study_ahead")
mutant("study-sums", "the sums of the ledger forget what is spent",
       "tip->totals.spent += (uint64_t)event->spent;", "", "study_orders study_random")
mutant("study-checksum", "the checksum of an event is without its values",
       "add_number(&sum, e->count); for (size_t i = 0; i < e->count; i++) {",
       "add_number(&sum, e->count); for (size_t i = 0; i < 0 * e->count; i++) {", "study_edits",
       file="ledger.c")
mutant("study-chain", "the checksum of an event is without the one before it",
       "add_number(&sum, before);", "add_number(&sum, 0 * before);", "study_edits",
       file="ledger.c")
mutant("study-verify", "verifying does not compare events done again",
       "(!again || again->checksum != e->checksum)", "(!again || again->checksum != again->checksum)", "study_forged")
mutant("study-again", "an answer that differs from the one stored is taken",
       "if (*fresh || !study_is_change(&stored, told)) return SCANT_OK;", "if (*fresh || !isnan(told->value)) return SCANT_OK;",
       "study_orders study_random")
mutant("study-group", "every member of a group is paid",
       "int later = i && look->item[i - 1] == look->item[i];", "int later = i && look->item[i - 1] == look->item[i] && 0;",
       "study_random study_orders")
mutant("study-late", "an order that expired is learned when it is told",
       "int open = study_is_open(s->order.state);", "int open = study_is_open(s->order.state) || s->order.state == SCANT_ORDER_EXPIRED;",
       "study_orders study_random", file="tell.c")
mutant("study-catch-up", "another writer's events are not counted",
       "study_move_tip(tip, &e);", "tip->sequence = e.sequence; tip->checksum = e.checksum;", "study_orders study_random study_files")
mutant("study-expire", "an order that expires costs nothing more",
       "event.spent = (int64_t)rest.spent;", "event.spent = 0;", "study_orders study_random")

mutant("study-erase-salt", "an erasure leaves the salt",
       "change = NULL, salt = NULL WHERE", "change = NULL WHERE", "study_erase")
mutant("study-amend-reseed", "looks after an amendment may be those of before it",
       "case SCANT_EVENT_AMEND: case SCANT_EVENT_ERASE:", "case SCANT_EVENT_AMEND: return SCANT_OK; case SCANT_EVENT_ERASE:",
       "study_amend study_random", file="replay_learner.c")
mutant("study-amend-behind", "handles follow others through an amendment, event by event",
       "if (reach != STUDY_ADDS) return", "if (reach > STUDY_CATALOGUE) return", "study_amend")
mutant("study-queue", "those that wait come in any order",
       "return found < 0 ? 0 : TICKETS + queue->ticket - found;", "return found < 0 ? 0 : 0 * found;", "study_together")
mutant("study-second", "orders are learned without their second entries",
       "agree == o->count + 1", "agree <= o->count + 1", "study_second")
mutant("study-second-target", "the second entry of the target does not count",
       "agree = o->second == SCANT_SECOND_AGREES;", "agree = 1;", "study_second")

# ---- groups of calls, requests, announcements ----------------------------------------
mutant("calls-stale", "the learner keeps what was taken back",
       "if (s->tip.sequence != to->sequence) { s->stale = 1;", "if (s->tip.sequence != to->sequence) {",
       "study_groups", file="transaction.c")
mutant("calls-judged", "a risk that was taken back is shown",
       "s->judged_at = 0; /* other events will have these numbers */", "", "study_groups", file="transaction.c")
mutant("calls-gaussian", "a Gaussian that was taken back predicts",
       "scant_model_free(s->gaussian); s->gaussian = NULL; }", "}", "study_groups", file="transaction.c")
mutant("calls-terms", "terms that were taken back stay",
       "int amended = s->amended > to->sequence;", "int amended = 0;", "study_groups", file="transaction.c")
mutant("calls-lost", "calls go on in a group that was rolled back",
       "if (!was_rolled_back(study)) return SCANT_OK;", "if (!was_rolled_back(study) || 1) return SCANT_OK;", "study_group_faults study_memory")
mutant("calls-all", "a call that fails takes the group with it",
       "scant_status status = s->groups ? roll_back_inside(s, error) : study_roll_back(s, error);",
       "scant_status status = study_roll_back(s, error);", "study_groups study_group_faults")
mutant("calls-load", "loading the learner takes the group back",
       "if (!study_is_shared_now(s) && !s->groups)", "if (!study_is_shared_now(s))", "study_groups")
mutant("request-erase", "an erasure leaves requests", "SCANT_TRY(study_forget_example(s, example, error));", "(void)example;",
       "study_requests")
mutant("request-frozen", "frozen copies have requests", "DELETE FROM request_example; DELETE FROM request; VACUUM", "VACUUM",
       "study_requests")
mutant("request-person", "a key is everybody's", "FROM request WHERE by = ?1 AND key = ?2", "FROM request WHERE ?1 <> '' AND key = ?2",
       "study_requests")
mutant("teller-order", "what was told of a cancelled order counts", "AND l.number = ?2 AND t.attribute = ?3",
       "AND ?2 >= 0 AND t.attribute = ?3", "study_requests")
mutant("announce-left", "whoever takes the lock leaves what was announced",
       "cut_announcement(c->held->file); /* of one that was killed */", "", "study_requests", file="lock.c")
mutant("announce-dead", "the announcement of a dead process counts",
       "if (study_find_locked(file, MARK, 1) < 0) *text = 0;", "", "study_requests", file="lock.c")
mutant("announce-mark", "no byte is locked, so that nobody is told", "study_lock_bytes(s->lock.file, where ? F_WRLCK : F_UNLCK, MARK, 1);", "", "study_requests",
       file="lock.c")

# ---- standard errors ------------------------------------------------------------------
mutant("errors-group", "a learner that misses a group is told it all the same",
       "k->one[i].group == without) continue;", "k->one[i].group == without + 100) continue;", "errors")
mutant("errors-passes", "an example is in another group in the second pass",
       "group = f->row_group[row];", "group += 0;", "errors")
mutant("errors-law", "learners of moments do not hear of a new law",
       ".turned = k->count && law != k->law", ".turned = 0", "leave_out")
mutant("errors-half", "half of the difference is not what leaving out changes of a mean",
       "half = (groups + 1) / groups / 2", "half = groups / groups / 2", "leave_out")
mutant("errors-settled", "an EM without a group stays near where it began",
       "to_leave_out = {.steps = 150, .settled = 1e-6}", "to_leave_out = {.steps = 3, .settled = 1e-6}", "leave_out")
mutant("errors-plain", "what errors-of names is penalised",
       "(plain && plain[i] ? 0 : penalty)", "(plain && plain[i] ? penalty : penalty)", "leave_out unpenalised regress")
mutant("errors-wanted", "looks do not follow what errors-of names",
       "gain[g] > 0 || is_wanted(l, g)", "gain[g] > 0 || (is_wanted(l, g) && 0)", "unpenalised")

# ---- the default algorithm ----------------------------------------------------------
mutant("default-limit", "the limit itself is too much work",
       "work <= SCANT_DEFAULT_WORK", "work < 0.999 * SCANT_DEFAULT_WORK", "default")
mutant("default-examples", "the examples do not count",
       "(double)examples * (k * k * k)", "0 * (double)examples * (k * k * k)", "default")
mutant("default-budget", "the budget does not count",
       "examples = find_horizon(&supposed, extent);", "examples = extent->examples;", "default")
mutant("column-of-words", "a column of words ends at the first =",
       "length + 1) != 0) return 0; others = 1;", "length + 1) != 0) return 0; others = 0;", "by_name")
mutant("looks-one-file", "pairs may take the place of their looks",
       "pairs && scant_replacing_is_same(f->looks.out, f->pairs.out)", "pairs && f->looks.out == f->pairs.out", "looks_file")
mutant("chances-of-long-ago", "what is free in a look of long ago is not certain",
       "for (uint32_t i = 0; p && i < look->count; i++)", "for (uint32_t i = 0; p && chances->now && i < look->count; i++)",
       "gaussian_chances")
mutant("default-options", "options that only auto takes select nothing",
       "if (of_streaming)", "if (of_streaming && 0)", "default")
mutant("default-engine", "gaussian is taken without its engine",
       "else if (!scant_engine_find(s->runtime.engines, dense()->name))", "else if (0)", "default")
mutant("default-resume", "a checkpoint can't go on with the algorithm default",
       "strcmp(ours, theirs) != 0 && !chosen) /*", "strcmp(ours, theirs) != 0 && chosen < 2) /*", "default")
mutant("default-tune", "tuning leaves the default as it is",
       "if (scant_settings_is_default(&s)) s.learning.algorithm", "if (0) s.learning.algorithm", "default")

# ---- plans ------------------------------------------------------------------------------
mutant("world-bias", "the error of weights forgets the means",
       "- intercept - scant_dot(w, world->mean, d);", "- intercept;", "world")
mutant("world-left", "the target of an example has nothing of its own",
       "+ world->left * d->z[n];", ";", "world")
mutant("world-streams", "all rows of a world are drawn from one stream",
       "scant_rng_seed(&rng, d->seed, row);", "scant_rng_seed(&rng, d->seed, 0);", "world")
mutant("plan-labels", "labels are free",
       "return bought + plan->request.label_cost * ledger->examples;", "return bought;", "plan plan_choice")
mutant("plan-dearest", "a plan buys one example more than its money pays for",
       "scant_fit_advance(s->fit, paid - paid % block,", "scant_fit_advance(s->fit, paid - paid % block + 1,", "plan plan_choice")
mutant("plan-choice", "a plan takes the K with the least regret, whatever its standard error",
       "<= difference_error(plan, k, best)", "<= 0", "plan plan_choice")
mutant("plan-far", "a K with far more error ties, if it varies enough",
       "#define FAR 0.5 ", "#define FAR 1e9 ", "plan plan_choice")
mutant("plan-mean", "a K above the mean's error ties with one below it",
       "best->error <= variance", "0", "plan plan_choice")
mutant("plan-reach", "a wanted error within two errors of the least is refused",
       "wanted < f->least - 2 * sd", "wanted < f->least", "plan plan_choice")
mutant("study-prices", "the Gaussian of a study has no prices",
       "if (status == SCANT_OK && s->prices) status = scant_source_set_prices", "if (0) status = scant_source_set_prices", "study_dense")
mutant("plan-strength", "the strength of a plan is what held-out halves show",
       "shown += weight *", "shown += 0 * weight *", "plan plan_choice")
mutant("plan-more", "money is left where examples are cheaper than they seemed",
       "rows > (double)s->rows ? (size_t)rows : 0", "rows < (double)s->rows ? (size_t)rows : 0", "plan plan_choice")
mutant("errors-part", "a stream that goes on makes errors from the purchases since then",
       "if (m->ledger.examples) {", "if (!m->ledger.examples) {", "errors")

# ---- looks on file -----------------------------------------------------------------------
mutant("chances-pair", "a pair of draws forgets that one draw may be either",
       "missed(q[i] + q[j], n), both", "missed(q[i], n) * missed(q[j], n), both", "chances")
mutant("chances-residual", "the residual's draws do not count in what a look has",
       "(subset ? none : missed(q[i], n)) * missed(p[i], m)", "(subset ? none : missed(q[i], n))", "chances")
mutant("chances-gaussian", "exploring is thought to begin with nothing bought",
       "mixture m = {paid, followed, first, fmin(k, paid) - first};",
       "mixture m = {paid + first, followed, first, fmin(k, paid) - first};", "gaussian_chances")
mutant("chances-now", "chances are told by a law that is gone",
       "look->serial + 1 == l->next_serial && l->told == l->asked_at", "look->serial < l->next_serial", "chances")
mutant("looks-halves", "the second half of svr's draws is told as draws for the residual",
       "kind->has_draws && !kind->halves", "kind->has_draws", "command_looks")
mutant("looks-header", "the number of lines in NPY stays 0",
       "if (s->npy) SCANT_TRY(write_header(s, error));", "", "command_looks")
mutant("looks-left", "a fit that is freed leaves its half file of looks",
       "if (replacing->name[0] && replacing->file >= 0) unlink(replacing->name);", "", "looks_file file")
mutant("looks-price", "every member of a group pays for all of it",
       "return paid ? 0 : (double)prices->cost[item] / 100;", "return paid < 0 ? 0 : (double)prices->cost[item] / 100;", "command_looks")

# ---- what leaves a study ----------------------------------------------------------------
mutant("siphash-rounds", "a round less at the end of a keyed hash",
       "v[2] ^= 0xff; do_rounds(v, 4);", "v[2] ^= 0xff; do_rounds(v, 3);", "hashes")
mutant("sha256-length", "the length of what is summed is not in the sum",
       "scant_sha256_add(sum, tail, sizeof tail);", "scant_sha256_add(sum, padding + 1, sizeof tail);", "hashes")
mutant("out-reasons", "reasons stay beside pseudonyms",
       "x->names.wanted ? NULL : reason", "reason", "command_study_publish")
mutant("out-people", "people and examples have the same keys",
       "const char label[2] = {letters[of],", "const char label[2] = {letters[0],", "command_study_out")
mutant("out-last-order", "an example that was asked for again has two rows",
       "SELECT max(number) AS last FROM orders GROUP BY example ORDER BY last",
       "SELECT number AS last FROM orders ORDER BY last", "command_study_out", file="export_examples.c")
mutant("out-amounts", "the amounts of an event are in every row of it",
       "if (line == 1) put_amounts(x, e);", "if (line) put_amounts(x, e);", "command_study_out")
mutant("out-given", "looks are described by the learner of today",
       "add_order(x, twin->learner, twin->drawn, 0, error)", "add_given(x, error)", "command_study_use")
mutant("frozen-written", "a frozen copy is opened for writing",
       "status = refuse_frozen(s, error); if (status == SCANT_OK) status = study_log_ahead",
       "if (status == SCANT_OK) status = study_log_ahead", "command_study_publish")
mutant("frozen-unchecked", "the text beside a frozen copy is not compared to the end of a line",
       "if (!found || (found != said && found[-1] != '\\n')", "if (0", "command_study_publish")

# ---- JSON of studies ---------------------------------------------------------------------
mutant("json-locale", "numbers of JSON have the decimal point of the locale",
       "size_t whole = strspn(number, usual);", "size_t whole = strlen(number);", "json_write text")
mutant("json-blind", "who enters a second time sees the first entry",
       "if (values) {", "if (values | 1) {", "json_nouns", file="json_orders.c")
mutant("filter-before", "a worklist has orders of the very moment at which it ends",
       "at >= f->before", "at > f->before", "json_filter")
mutant("filter-differs", "a worklist of differences has orders of every state, whatever is asked for",
       "w->all || (w->differs && !w->open)", "w->all || w->differs", "json_filter")

# ---- the service ---------------------------------------------------------------------
mutant("serve-two-lengths", "Content-Length and Transfer-Encoding together are taken",
       "if (h->transfers && h->lengths) wrong =", "if (0) wrong =", "serve_hostile")
mutant("serve-host", "any Host is taken", "if (!host || !is_ours(exchange->server, host))", "if (!host)", "serve_hostile")
mutant("serve-csrf", "a cookie alone is enough to write",
       "\"GET\") != 0 && !has_csrf(exchange)",
       "\"GET\") != 0 && has_csrf(exchange) < 0", "serve_hostile")
mutant("serve-tags-weak", "If-Match takes weak tags", "(weak || !is_weak)", "(weak || is_weak >= 0)", "serve_decode serve_once")
mutant("serve-secret-prefix", "a digest is compared by half", "for (size_t i = 0; i < length; i++) difference",
       "for (size_t i = 0; i < length / 2; i++) difference", "serve_access")
mutant("serve-code-twice", "the link works more than once", "if (good) access->code[0] = 0;", "", "serve_sign_in")
mutant("serve-stale-tokens", "the file of tokens is read once",
       "if (access->tokens && stat(access->path, &facts) == 0 && is_same_file(&facts, &access->facts)) return",
       "if (access->tokens && (stat(access->path, &facts) == 0 || is_same_file(&facts, &access->facts))) return",
       "serve_sign_in")
mutant("serve-session-outlives", "a session goes on when its token is revoked", "if (!token) return 0;\n    become_token",
       "if (!token) return become_keeper(server, who), 1;\n    become_token", "serve_sign_in")
mutant("serve-key-body", "a key stands for any body", "scant_sha256_add(&sum, exchange->body, exchange->body_length);", "",
       "serve_once")
mutant("serve-early-answers", "what fails in a group stays", "scant_study_roll_back(study);\n  }\n}", "scant_study_commit(study, &error);\n  }\n}",
       "serve_once serve_entries")
mutant("serve-no-watch", "slow connections are never cut", "shutdown(c->socket, SHUT_RDWR);", "", "serve_hostile")
mutant("serve-left", "who has left keeps a place",
       "MSG_PEEK | MSG_DONTWAIT) == 0) shutdown(info->connect_fd, SHUT_RDWR);", "MSG_PEEK | MSG_DONTWAIT) == 0) return;",
       "serve_hostile", equivalent="the watchdog looks for the same, a moment later")

# ---- actions of the service --------------------------------------------------------------
mutant("serve-blind", "who enters sees first entries",
       "return call->role < SCANT_ROLE_MANAGE && scant_study_second_entry", "return 0 && scant_study_second_entry", "serve_entries")
mutant("serve-blind-history", "the history shows first entries", "if (!serve_is_blind(call)) return SCANT_OK;",
       "return SCANT_OK;", "serve_entries")
mutant("serve-blind-refusal", "a refusal shows a first entry", "if (hidden) /* nobody sees", "if (0) /* nobody sees", "serve_entries")
mutant("serve-own-values", "who enters corrects what others told", "call->role < SCANT_ROLE_MANAGE; i++)", "0; i++)", "serve_entries")
mutant("serve-export-names", "who reads gets names", "if (*pseudonyms || call->role == SCANT_ROLE_MANAGE)", "if (1)", "serve_roles")
mutant("serve-status-names", "who reads sees open orders", "risk && call->role > SCANT_ROLE_READ", "risk", "serve_entries")
mutant("serve-row-role", "who enters sees the traces of an example", '"/traces", MANAGE', '"/traces", ENTER', "serve_contract serve_roles")
mutant("serve-stored", "a conflict does not say what is stored", "if (!said) {", "if (1) {", "serve_entries", file="values.c")
mutant("serve-confirmed", "what is not confirmed is", "answer->confirmed = type == SCANT_JSON_TRUE;", "answer->confirmed = 1;",
       "serve_entries")
mutant("serve-pages", "a page ends where others would wait, and says that it is the last",
       "(looks == LOOKS_MOST || (passes && count == limit))", "(passes && count == limit)", "serve_actions")
mutant("serve-mention", "an answer outlives an example that it names", "SCANT_TRY(serve_mention(call, names[i], error));", "",
       "serve_actions")
mutant("serve-trial", "a trial amends", "reason, trial, &change", "reason, 0, &change", "serve_entries")
mutant("serve-unknown-members", "unknown members of a body are passed over",
       'SCANT_TRY(serve_check_members(call, 0, "how reason", error));', "", "serve_contract")
mutant("totals-shared", "who reads sees the open orders of before",
       "if (study_is_shared_now(s)) SCANT_TRY(study_count_orders", "if (0) SCANT_TRY(study_count_orders", "study_mix")
mutant("serve-left-midst", "who leaves in the midst of a request keeps a place", "return before && c->has_ended;", "return before < 0;", "serve_hostile")
mutant("serve-forgotten", "what libmicrohttpd forgets stays begun", "    end_forgotten(server, *context);\n", "", "serve_hostile")
mutant("serve-not-remembered", "answers are not remembered", "scant_status status = remember(exchange, study, error);", "(void)remember; scant_status status = SCANT_OK;",
       "serve_load serve_once")
mutant("serve-tag-late", "a tag may be newer than what it is of", "memcpy(call->etag, seen, sizeof seen);",
       "SCANT_TRY(make_tag(exchange, study, call->etag, error));", "serve_once")
mutant("serve-long", "an outlook keeps everybody waiting", "is_long ? SERVE_READER_LONG : SERVE_READER", "is_long < 0 ? SERVE_READER_LONG : SERVE_READER", "serve_entries")
mutant("serve-revoked-late", "a token that is revoked while a body comes still writes",
       "if (exchange->body_length && !serve_head_again(exchange)) return;", "", "serve_sign_in")
mutant("serve-lower-role", "a lower role sees the answers of a higher one", "if ((long)exchange->who.role < role)", "if (0)", "serve_once")
mutant("serve-kept-tag", "an answer that is kept is never the same", "if (request->if_none_match && serve_tag_in(request->if_none_match, answer->etag, 1)) {",
       "if (0) {", "serve_once")
mutant("study-moved", "a file that was moved is written to", "SCANT_TRY(check_not_moved(study, error));", "if (0) SCANT_TRY(check_not_moved(study, error));", "study_groups serve_storage")
mutant("study-level", "any level is one", "if (!(level > 0 && level < 1))\n    return scant_fail(error, SCANT_USAGE", "if (0)\n    return scant_fail(error, SCANT_USAGE",
       "study_groups", file="results.c")
mutant("json-keys", "a key among many may come twice", "if (is_same && (!again || keys[i].text < again)) again", "if (is_same > 1) again", "json")

# ---- sums that merge -----------------------------------------------------------------------
mutant("sums-wild", "a wild value aside joins the core", "i + 2 < aside && aside > SCANT_LIMITS_ASIDE", "i + 1 < aside && aside > SCANT_LIMITS_ASIDE",
       "limits sums")
mutant("sums-core", "merged cores forget how far apart they are", "l->spread += other->spread + off * off * (n * m / (n + m));",
       "l->spread += other->spread;", "limits sums")
mutant("sums-limits", "blocks that were clipped by other limits are taken", "if (!sums->count || limits == sums->limits) return SCANT_OK;",
       "if (!sums->count || !limits == !sums->limits) return SCANT_OK;", "sums")
mutant("sums-limits-merged", "sums that began empty forget their limits", "s->limits = other->limits;", "s->limits = s->limits;", "sums")
mutant("sums-curiosity", "rows that agree make an attribute dull, not blocks", "(scant_moments){.count = m->blocks, .spread = m->spread}",
       "(scant_moments){.count = m->known, .spread = m->spread}", "sums_learn")
mutant("sums-curiosity-moments", "the same in moments", ": scant_marginal_curiosity(m)", ": scant_moments_curiosity(&moments)",
       "sums_learn")
mutant("sums-twice", "a block that is in both sums may differ", "if (!scant_record_equal(mine, theirs))", "if (0)", "sums")
mutant("sums-digest", "damaged sums are believed", "if (memcmp(found, bytes + size - DIGEST, DIGEST) != 0)", "if (0)", "sums_file")
mutant("sums-mean", "an E-step forgets that the mean of the rows is off", "scatter + (double)t->rows * w->off[i] * w->off[j]", "scatter", "sums_answer")
mutant("sums-trace", "an E-step counts products beside the diagonal once", "sum += 2 * (a[j] * c[j]);", "sum += a[j] * c[j];", "sums_answer")
mutant("sums-available", "available cases are not scaled up to all rows", "(double)r->rows / r->together[to] : 0;", "1 : 0;", "sums")
mutant("sums-mend", "available cases keep negative eigenvalues", "if (values[0] >= 0) return SCANT_OK;", "if (values[0] < INFINITY) return SCANT_OK;", "sums")
mutant("sums-groups", "groups are added one after the other", "while ((low ^ high) / 2 >= bit) bit *= 2;", "", "sums_reply")
mutant("sums-votes", "votes of two replies are not set against each other", "to->active += lead < other ? lead : other;", "", "sums_answer")
mutant("block-look-stream", "looks of a block depend on its number alone", "scant_rng_seed(&rng, seed, STREAM_BLOCKS + block);",
       "scant_rng_seed(&rng, seed > 0, STREAM_BLOCKS + block);", "block_look")
mutant("block-look-twice", "a look of a block has an attribute twice", "for (size_t i = 0; i < have; i++) leaf[attributes[i]] = 0;", "", "block_look")
mutant("sums-halves", "both halves of blocks are the same one", "scant_chosen_blocks chosen = {.parts = HALVES, .part = h};",
       "scant_chosen_blocks chosen = {.parts = HALVES, .part = 0};", "sums_learn")
mutant("sums-changed", "replies may be of other examples than before", "if (reply->examples == examples) return SCANT_OK;", "return SCANT_OK;",
       "sums_learn")
mutant("sums-likelihood", "the likelihood of an E-step is not per example", "a->reply.likelihood / (double)a->examples}", "a->reply.likelihood}", "sums_learn")
mutant("sums-law-cut", "a law may be cut short", "(!w.final || !w.fit->learned)", "!w.fit->learned", "sums_model")
mutant("sums-moments-law", "what is followed in moments explores nothing", "share * f->follow[j] + (1 - share) * f->explore[j]", "f->follow[j] / share * share", "sums_learn")
mutant("sums-fold", "a fold is its own complement", "(block % chosen.parts == chosen.part) != (chosen.invert != 0)", "block % chosen.parts == chosen.part", "sums_answer")
mutant("sums-own-factor", "factors are without a bound", "fmin((q->factor ? q->factor[v] : 1) + q->penalty, FACTOR_MOST)", "(q->factor ? q->factor[v] : 1) + q->penalty", "sums_answer")
mutant("sums-sparse", "a negative zero of a reply is lost", "set += scant_word(array, width, i) != 0;", "set += scant_word(array, width, i) << 1 != 0;", "sums_reply")
