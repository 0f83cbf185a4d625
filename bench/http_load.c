/* Load for an HTTP service on this machine: keep-alive connections, a thread each, that send one request after the
 * other. Prints requests a second and, in microseconds, what half and 99 % of the requests took at most. service.py
 * starts it. An answer that is not a whole one of status 200 ends the run with a sentence. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_BYTES = 1 << 16, MOST_CONNECTIONS = 1024 };

struct connection {
    pthread_t thread;
    int port;
    const char *request;
    size_t n_requests;
    double *seconds; /* of each request */
    char answer[ANSWER_BYTES];
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "http_load: %s\n", what);
    exit(1);
}

static int open_socket(int port) {
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        fail("cannot connect");
    }
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return descriptor;
}

/* Whether the bytes so far, which end with a NUL, are a whole answer. */
static int is_whole(const char *answer, size_t n_bytes) {
    const char *end = strstr(answer, "\r\n\r\n");
    if (end == NULL) {
        return 0;
    }
    if (strncmp(answer, "HTTP/1.1 200 ", 13) != 0) {
        fail("an answer is not of status 200");
    }
    for (const char *line = answer; line < end; line = strstr(line, "\r\n") + 2) {
        if (strncasecmp(line, "Content-Length:", 15) == 0) {
            size_t n_body = strtoul(line + 15, NULL, 10);
            return n_bytes >= (size_t)(end + 4 - answer) + n_body;
        }
    }
    fail("an answer has no Content-Length");
    return 0;
}

static void ask(int descriptor, struct connection *connection) {
    size_t n_bytes = 0, n_request = strlen(connection->request);
    if (send(descriptor, connection->request, n_request, MSG_NOSIGNAL) != (ssize_t)n_request) {
        fail("cannot send a request");
    }
    do {
        ssize_t n = recv(descriptor, connection->answer + n_bytes, ANSWER_BYTES - 1 - n_bytes, 0);
        if (n <= 0) {
            fail("the connection ended within an answer, or the answer is too long");
        }
        n_bytes += (size_t)n;
        connection->answer[n_bytes] = '\0';
    } while (!is_whole(connection->answer, n_bytes));
}

/* How many requests come before those that are timed. */
static size_t n_before(size_t n_requests) { return n_requests / 10; }

static void *run(void *argument) {
    struct connection *connection = argument;
    int descriptor = open_socket(connection->port);
    for (size_t i = 0; i < n_before(connection->n_requests); i++) {
        ask(descriptor, connection);
    }
    for (size_t i = 0; i < connection->n_requests; i++) {
        double began = now();
        ask(descriptor, connection);
        connection->seconds[i] = now() - began;
    }
    close(descriptor);
    return NULL;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static char *make_request(const char *path, const char *body) {
    size_t n_bytes = strlen(path) + strlen(body) + 128;
    char *request = malloc(n_bytes);
    if (request == NULL) {
        fail("out of memory");
    }
    snprintf(request, n_bytes, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %zu\r\n\r\n%s", path,
             strlen(body), body);
    return request;
}

static void load(int port, const char *request, size_t n_connections, size_t n_each) {
    size_t n = n_connections * n_each;
    struct connection *connections = calloc(n_connections, sizeof *connections);
    double *seconds = calloc(n, sizeof *seconds);
    if (connections == NULL || seconds == NULL) {
        fail("out of memory");
    }
    double began = now();
    for (size_t i = 0; i < n_connections; i++) {
        struct connection *connection = &connections[i];
        connection->port = port;
        connection->request = request;
        connection->n_requests = n_each;
        connection->seconds = seconds + i * n_each;
        if (pthread_create(&connection->thread, NULL, run, connection) != 0) {
            fail("cannot start a thread");
        }
    }
    for (size_t i = 0; i < n_connections; i++) {
        pthread_join(connections[i].thread, NULL);
    }
    double rate = (double)(n_connections * (n_each + n_before(n_each))) / (now() - began);
    qsort(seconds, n, sizeof *seconds, compare);
    printf("{\"requests_a_second\": %.0f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n", rate, 1e6 * seconds[n / 2],
           1e6 * seconds[n - 1 - n / 100]);
    free(seconds);
    free(connections);
}

int main(int n_arguments, char **arguments) {
    if (n_arguments != 6) {
        fprintf(stderr, "usage: http_load PORT PATH BODY CONNECTIONS REQUESTS_EACH\n");
        return 2;
    }
    size_t n_connections = strtoul(arguments[4], NULL, 10), n_each = strtoul(arguments[5], NULL, 10);
    if (n_connections < 1 || n_connections > MOST_CONNECTIONS || n_each < 1) {
        fail("CONNECTIONS must be 1 to 1024 and REQUESTS_EACH 1 or more");
    }
    char *request = make_request(arguments[2], arguments[3]);
    load((int)strtol(arguments[1], NULL, 10), request, n_connections, n_each);
    free(request);
    return 0;
}
