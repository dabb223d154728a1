#include "check.h"
TEST(a){CHECK(1);}
int main(void){RUN(a);return check_done();}
