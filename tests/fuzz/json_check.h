/* A strict reader of JSON (RFC 8259) for fuzz targets: says whether a text is one value and nothing else, in UTF-8. */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <stddef.h>
#include <string.h>

enum { JSON_MAX_DEPTH = 32 };

struct json_text {
    const unsigned char *at;
    const unsigned char *end;
};

static inline int json_take(struct json_text *text, unsigned char byte) {
    if (text->at < text->end && *text->at == byte) {
        text->at++;
        return 1;
    }
    return 0;
}

static inline void json_skip_blanks(struct json_text *text) {
    while (text->at < text->end && memchr(" \t\n\r", *text->at, 4) != NULL) {
        text->at++;
    }
}

static inline size_t json_digits(struct json_text *text) {
    size_t n = 0;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9') {
        text->at++;
        n++;
    }
    return n;
}

static inline int json_number(struct json_text *text) {
    json_take(text, '-');
    int starts_with_zero = text->at < text->end && *text->at == '0';
    size_t n = json_digits(text);
    if (n == 0 || (starts_with_zero && n > 1)) {
        return 0;
    }
    if (json_take(text, '.') && json_digits(text) == 0) {
        return 0;
    }
    if (json_take(text, 'e') || json_take(text, 'E')) {
        if (!json_take(text, '-')) {
            json_take(text, '+');
        }
        return json_digits(text) > 0;
    }
    return 1;
}

/* The bytes of one character, by the table of the Unicode standard (3-7); 0 where they are none. */
static inline size_t json_character(const unsigned char *at, size_t n) {
    static const struct {
        unsigned char first[2], second[2];
        size_t length;
    } rows[] = {{{0xC2, 0xDF}, {0x80, 0xBF}, 2}, {{0xE0, 0xE0}, {0xA0, 0xBF}, 3}, {{0xE1, 0xEC}, {0x80, 0xBF}, 3},
                {{0xED, 0xED}, {0x80, 0x9F}, 3}, {{0xEE, 0xEF}, {0x80, 0xBF}, 3}, {{0xF0, 0xF0}, {0x90, 0xBF}, 4},
                {{0xF1, 0xF3}, {0x80, 0xBF}, 4}, {{0xF4, 0xF4}, {0x80, 0x8F}, 4}};
    if (n > 0 && at[0] < 0x80) {
        return 1;
    }
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        if (n >= rows[r].length && at[0] >= rows[r].first[0] && at[0] <= rows[r].first[1] &&
            at[1] >= rows[r].second[0] && at[1] <= rows[r].second[1]) {
            size_t i = 2;
            while (i < rows[r].length && (at[i] & 0xC0) == 0x80) {
                i++;
            }
            return i == rows[r].length ? i : 0;
        }
    }
    return 0;
}

static inline int json_escape(struct json_text *text) {
    if (text->at == text->end) {
        return 0;
    }
    unsigned char byte = *text->at++;
    if (byte != 'u') {
        return memchr("\"\\/bfnrt", byte, 8) != NULL;
    }
    for (int i = 0; i < 4; i++, text->at++) {
        if (text->at == text->end || memchr("0123456789abcdefABCDEF", *text->at, 22) == NULL) {
            return 0;
        }
    }
    return 1;
}

static inline int json_string(struct json_text *text) {
    if (!json_take(text, '"')) {
        return 0;
    }
    while (text->at < text->end && *text->at != '"') {
        size_t length = json_character(text->at, (size_t)(text->end - text->at));
        if (length == 0 || *text->at < 0x20) {
            return 0;
        }
        int escaped = *text->at == '\\';
        text->at += length;
        if (escaped && !json_escape(text)) {
            return 0;
        }
    }
    return json_take(text, '"');
}

static inline int json_word(struct json_text *text, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(text->end - text->at) < n || memcmp(text->at, word, n) != 0) {
        return 0;
    }
    text->at += n;
    return 1;
}

static inline int json_value(struct json_text *text, int depth);

/* The members after the opening bracket, to the closing one. */
static inline int json_members(struct json_text *text, int depth, unsigned char close) {
    json_skip_blanks(text);
    if (json_take(text, close)) {
        return 1;
    }
    do {
        json_skip_blanks(text);
        if (close == '}') {
            if (!json_string(text)) {
                return 0;
            }
            json_skip_blanks(text);
            if (!json_take(text, ':')) {
                return 0;
            }
        }
        if (!json_value(text, depth + 1)) {
            return 0;
        }
        json_skip_blanks(text);
    } while (json_take(text, ','));
    return json_take(text, close);
}

static inline int json_value(struct json_text *text, int depth) {
    json_skip_blanks(text);
    if (depth > JSON_MAX_DEPTH || text->at == text->end) {
        return 0;
    }
    switch (*text->at) {
        case '{':
            text->at++;
            return json_members(text, depth, '}');
        case '[':
            text->at++;
            return json_members(text, depth, ']');
        case '"':
            return json_string(text);
        case 't':
            return json_word(text, "true");
        case 'f':
            return json_word(text, "false");
        case 'n':
            return json_word(text, "null");
        default:
            return json_number(text);
    }
}

static inline int json_is_valid(const char *bytes, size_t n) {
    struct json_text text = {(const unsigned char *)bytes, (const unsigned char *)bytes + n};
    if (!json_value(&text, 0)) {
        return 0;
    }
    json_skip_blanks(&text);
    return text.at == text.end;
}

#endif
