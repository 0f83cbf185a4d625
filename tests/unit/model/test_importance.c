#include "check.h"
#include "unit/model/make_model.h"
int main(void) { return check_report(); }
