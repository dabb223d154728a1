/* scant algorithms */
#include "command.h"

int run_algorithms(arguments *a) {
  const scant_algorithm *r;
  for (size_t i = 0; (r = scant_algorithm_at(i)); i++) {
    printf("%s%s: %s\n", i ? "\n" : "", r->name, r->title);
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
