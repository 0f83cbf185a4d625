/* What a field says: a number, nothing, or a text. */
#include "io/csv_cell.h"

#include "check.h"

static struct csv_field field_of(const char *text) {
    return (struct csv_field){.text = text, .n_bytes = strlen(text), .line = 1};
}

/* "number", "missing" or "text". */
static const char *kind_of(const char *text) {
    struct csv_field field = field_of(text);
    double value = 77;
    int is_known = mxb__csv_cell_read(&field, &value);
    return !is_known ? (isnan(value) ? "text" : "text with a value") : isnan(value) ? "missing" : "number";
}

static void tells_numbers_from_the_rest(void) {
    CHECK_TEXT(kind_of("1.5"), "number");
    CHECK_TEXT(kind_of(" \t-1e3 "), "number");
    CHECK_TEXT(kind_of("inf"), "number");
    CHECK_TEXT(kind_of(""), "missing");
    CHECK_TEXT(kind_of(" \t"), "missing");
    CHECK_TEXT(kind_of("na"), "missing");
    CHECK_TEXT(kind_of(" NA "), "missing");
    CHECK_TEXT(kind_of("NaN"), "missing");
    CHECK_TEXT(kind_of("n"), "text");
    CHECK_TEXT(kind_of("N/A"), "text");
    CHECK_TEXT(kind_of("nb"), "text");
    CHECK_TEXT(kind_of("nab"), "text");
    CHECK_TEXT(kind_of("nan0"), "text");
    CHECK_TEXT(kind_of("1 2"), "text");
    CHECK_TEXT(kind_of("\x0e\x01"), "text"); /* with the bit that makes letters small it would be na */
}

static void trims_blanks_alone(void) {
    struct csv_field trimmed = mxb__csv_cell_trim(field_of("\t a b\r "));
    CHECK_INT(trimmed.n_bytes, 4);
    CHECK(memcmp(trimmed.text, "a b\r", 4) == 0);
    CHECK_INT(mxb__csv_cell_trim(field_of(" ")).n_bytes, 0);
}

int main(void) {
    RUN(tells_numbers_from_the_rest);
    RUN(trims_blanks_alone);
    return check_report();
}
