/* Choices by their texts: the whole text of one, and nothing else. */
#include "base/choice.h"

#include "check.h"

static void each_is_found(void) {
    CHECK_INT(mxb__choice_find("rows | rounds", "rows"), 0);
    CHECK_INT(mxb__choice_find("rows | rounds", "rounds"), 1);
    CHECK_INT(mxb__choice_find("a | ab | b", "a"), 0);
    CHECK_INT(mxb__choice_find("a | ab | b", "ab"), 1);
    CHECK_INT(mxb__choice_find("a | ab | b", "b"), 2);
    CHECK_INT(mxb__choice_find("alone", "alone"), 0);
}

static void anything_else_is_not(void) {
    static const char *const others[] = {
        "", " ", "|", " | ", "r", "row", "rowss", "rows ", " rows", "rows | rounds", "rows | ", "rounds2", "ROWS", "x"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CHECK_INT(mxb__choice_find("rows | rounds", others[i]), -1);
    }
}

int main(void) {
    RUN(each_is_found);
    RUN(anything_else_is_not);
    return check_report();
}
