/* What a build with LAPACK adds to the library inside the Python package. */
#include "scant_dense.h"

SCANT_API void scant_python_engines(scant_settings *settings);

/* Settings that know the dense algorithms. */
void scant_python_engines(scant_settings *settings) {
  settings->runtime.engines = scant_dense_engines();
}
