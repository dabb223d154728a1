/* scant algorithms */
#include "front/command.h"

/* It is no algorithm itself. */
static void print_default(void) {
  printf(SCANT_DEFAULT_ALGORITHM ": gaussian or auto, as the size of the data allows; tune: auto\n");
  printf("  gaussian   if m K^3 + 8 d^3 <= %g, for m examples and K of d attributes (m unknown: if 8 d^3 <= %g)\n",
         SCANT_DEFAULT_WORK, SCANT_DEFAULT_WORK);
  printf("  auto       if not, or if an option is given that gaussian does not take\n");
}

int run_algorithms(arguments *a) {
  const scant_algorithm *r;
  print_default();
  for (size_t i = 0; (r = scant_algorithm_at(i)); i++) {
    printf("\n%s: %s\n", r->name, r->title);
    printf("  look       %s\n", r->look);
    printf("  estimate   %s\n", r->estimate);
    printf("  update     %s\n", r->update);
    printf("  K holds    %s\n", r->whole    ? "as d: every attribute"
                                : r->strict ? "for every example"
                                            : "in expectation only");
    if (r->dense) printf("  memory     %s, up to --memory; one pass\n", r->whole ? "every example" : "d^2");
    printf("  options    %s\n", r->options);
    if (*r->presets) printf("  defaults   %s\n", r->presets);
    if (r->grid) printf("  tune       %s\n", r->grid);
    printf("  reference  %s\n", r->reference);
  }
  return print_end(a->command);
}
