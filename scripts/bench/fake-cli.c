/*
 * A CLI for benchmarks: it speaks the protocol of the real one as far as any peer needs it, and costs next to nothing itself.
 * What it does is said by the prompt: the word BENCH, then `name=number` pairs. Times are taken here, between a write and the
 * moment at which the answer was read, and stand in the text of the result.
 *
 *   lines=N      so many token lines; with
 *     write=B      bytes gathered for a write (default 65536; 0: a write for each line)
 *     mixed=K      each K-th line is a whole assistant message of 2 KB
 *     ask=K        each K lines a permission is asked for, and its answer is waited for
 *     rate=R       R lines a second instead of all at once, burst=B lines at a time, the first after phase=MS milliseconds
 *     stamp=1      the text of each token is the monotonic clock in nanoseconds, 16 hexadecimal digits
 *   asks=N       N permissions, one after another, after warm=W that are not counted
 *   hooks=N      N calls of the PreToolUse hook, likewise
 *   tools=N      N calls of the tool `echo` of the in-process server BENCH_SERVER (environment), likewise
 *   long=B       one line with a tool result of B bytes
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Its first digits become those of the process: no two sessions have the same conversation. */
#define SESSION "00000000-d97c-4c30-918c-9c14c3867548"
#define UUID "00000000-%04x-463c-8685-000000000000"
#define MESSAGE "msg_0000000000000000000001"
#define VERSION "2.1.332"
#define MAX_OUTPUT (1 << 20)
#define TEXT_BYTES 7
#define STAMP_BYTES 16
#define ASSISTANT_BYTES 2048
#define MAX_WAITING 16

static char output[MAX_OUTPUT];
static size_t output_bytes;

static char *input;
static size_t input_bytes, input_room, line_start;

static char hook_id[128];
static uint32_t line_count;
static unsigned asked;

static void fail(const char *what) {
  dprintf(2, "bench cli: %s: %s\n", what, strerror(errno));
  _exit(3);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static void write_all(const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(1, bytes, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        struct pollfd ready = {1, POLLOUT, 0};
        poll(&ready, 1, -1);
        continue;
      }
      _exit(0); /* Nobody reads any more. */
    }
    bytes += written;
    count -= (size_t)written;
  }
}

static void flush(void) {
  write_all(output, output_bytes);
  output_bytes = 0;
}

static void hex(char *place, uint64_t value, int digits) {
  for (int at = digits - 1; at >= 0; at -= 1, value >>= 4) place[at] = "0123456789abcdef"[value & 15];
}

static void own(char *text) {
  while ((text = strstr(text, SESSION)) != NULL) hex(text, (uint64_t)getpid(), 8);
}

static void put(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (MAX_OUTPUT - output_bytes < 65536) flush();
  int count = vsnprintf(output + output_bytes, MAX_OUTPUT - output_bytes, format, arguments);
  va_end(arguments);
  if (count < 0 || (size_t)count >= MAX_OUTPUT - output_bytes) fail("a line is too long");
  own(output + output_bytes);
  output_bytes += (size_t)count;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

/* Reads what is there; 0 at the end of the input. Waits so many milliseconds at most, -1 for ever. */
static int fill(int wait_ms) {
  struct pollfd ready = {0, POLLIN, 0};
  int found = poll(&ready, 1, wait_ms);
  if (found <= 0) return 1;
  if (line_start > 0) {
    memmove(input, input + line_start, input_bytes - line_start);
    input_bytes -= line_start;
    line_start = 0;
  }
  if (input_room - input_bytes < 65536) {
    input_room = input_room == 0 ? 131072 : input_room * 2;
    input = realloc(input, input_room + 1);
    if (input == NULL) fail("no memory");
  }
  ssize_t count = read(0, input + input_bytes, input_room - input_bytes);
  if (count < 0 && errno != EINTR && errno != EAGAIN) return 0;
  if (count == 0) return 0;
  if (count > 0) input_bytes += (size_t)count;
  return 1;
}

/* The next whole line, ended by a zero; NULL while there is none. */
static char *line_here(void) {
  if (input_bytes == line_start) return NULL;
  char *end = memchr(input + line_start, '\n', input_bytes - line_start);
  if (end == NULL) return NULL;
  char *line = input + line_start;
  *end = 0;
  line_start = (size_t)(end - input) + 1;
  return line;
}

static char *next_line(void) {
  for (;;) {
    char *line = line_here();
    if (line != NULL) return line;
    if (fill(-1) == 0) _exit(0);
  }
}

/* The text of a field whose value is a plain string, from its first or last place in the line. */
static int field(const char *line, const char *name, int is_last, char *value, size_t room) {
  char key[64];
  int length = snprintf(key, sizeof key, "\"%s\":\"", name);
  const char *place = strstr(line, key);
  for (const char *later = place; is_last && later != NULL; later = strstr(later + length, key)) place = later;
  if (place == NULL) return 0;
  place += length;
  const char *end = strchr(place, '"');
  if (end == NULL || (size_t)(end - place) >= room) return 0;
  memcpy(value, place, (size_t)(end - place));
  value[end - place] = 0;
  return 1;
}

static long number(const char *line, const char *name, long otherwise) {
  char key[32];
  int length = snprintf(key, sizeof key, " %s=", name);
  const char *place = strstr(line, key);
  return place == NULL ? otherwise : strtol(place + length, NULL, 10);
}

/* ---- what is said -------------------------------------------------------------------------------------------------- */

static void answer_request(const char *line) {
  char id[128], subtype[64];
  if (!field(line, "request_id", 0, id, sizeof id) || !field(line, "subtype", 0, subtype, sizeof subtype)) return;
  if (strcmp(subtype, "initialize") != 0) {
    put("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\",\"response\":{}}}\n", id);
    flush();
    return;
  }
  const char *ids = strstr(line, "\"hookCallbackIds\":[\"");
  if (ids != NULL) sscanf(ids, "\"hookCallbackIds\":[\"%127[^\"]", hook_id);
  put("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\",\"response\":{\"commands\":[],"
      "\"agents\":[],\"output_style\":\"default\",\"available_output_styles\":[\"default\"],\"models\":[{\"value\":\"default\","
      "\"displayName\":\"Default\",\"description\":\"The default\"}],\"account\":{},\"pid\":%d,\"session_state\":\"idle\","
      "\"claude_code_version\":\"" VERSION "\",\"capabilities\":[\"msg_lifecycle_v1\"],\"current_permission_mode\":\"default\"},"
      "\"pending_permission_requests\":[],\"pending_user_dialog_requests\":[]}}\n", id, (int)getpid());
  flush();
}

/* A prompt that comes while something else is done waits for its turn. */
static char *waiting[MAX_WAITING];
static size_t waiting_count;

/* What comes while an answer or a moment is waited for. */
static void take_meanwhile(char *line) {
  if (strstr(line, "\"control_request\"") != NULL) answer_request(line);
  else if (strstr(line, "\"type\":\"user\"") != NULL) {
    if (waiting_count == MAX_WAITING) fail("too many prompts");
    waiting[waiting_count++] = strdup(line);
  }
}

/* Waits for the answer to a request of ours. */
static void await_answer(const char *id) {
  for (;;) {
    char *line = next_line();
    if (strstr(line, "\"control_response\"") != NULL && strstr(line, id) != NULL) return;
    take_meanwhile(line);
  }
}

static void new_id(char *id, size_t room) {
  asked += 1;
  snprintf(id, room, "%08x-61a8-4c1f-9b3d-%012x", asked, (unsigned)getpid());
}

static void ask(void) {
  char id[64];
  new_id(id, sizeof id);
  put("{\"type\":\"control_request\",\"request_id\":\"%s\",\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\","
      "\"display_name\":\"Bash\",\"input\":{\"command\":\"echo hi > out.txt\",\"description\":\"write\"},\"description\":\"write\","
      "\"permission_suggestions\":[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Bash\",\"ruleContent\":\"echo hi *\"}],"
      "\"behavior\":\"allow\",\"destination\":\"localSettings\"}],\"tool_use_id\":\"toolu_%022x\"}}\n", id, asked);
  flush();
  await_answer(id);
}

static void call_hook(void) {
  char id[64];
  new_id(id, sizeof id);
  put("{\"type\":\"control_request\",\"request_id\":\"%s\",\"request\":{\"subtype\":\"hook_callback\",\"callback_id\":\"%s\","
      "\"input\":{\"session_id\":\"" SESSION "\",\"transcript_path\":\"/nowhere/" SESSION ".jsonl\",\"cwd\":\"/nowhere\","
      "\"permission_mode\":\"default\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":"
      "\"echo hi > out.txt\",\"description\":\"write\"},\"tool_use_id\":\"toolu_%022x\"},\"tool_use_id\":\"toolu_%022x\"}}\n",
      id, hook_id, asked, asked);
  flush();
  await_answer(id);
}

static void say_to_server(const char *server, const char *message) {
  char id[64];
  new_id(id, sizeof id);
  put("{\"type\":\"control_request\",\"request_id\":\"%s\",\"request\":{\"subtype\":\"mcp_message\",\"server_name\":\"%s\","
      "\"message\":%s}}\n", id, server, message);
  flush();
  await_answer(id);
}

static void connect_server(const char *server) {
  say_to_server(server, "{\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
      "\"clientInfo\":{\"name\":\"claude-code\",\"version\":\"" VERSION "\"}},\"jsonrpc\":\"2.0\",\"id\":0}");
  say_to_server(server, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  say_to_server(server, "{\"method\":\"tools/list\",\"jsonrpc\":\"2.0\",\"id\":1}");
}

static void call_tool(void) {
  char message[512];
  snprintf(message, sizeof message, "{\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"hello\"},"
      "\"_meta\":{\"claudecode/toolUseId\":\"toolu_%022x\",\"progressToken\":%u}},\"jsonrpc\":\"2.0\",\"id\":%u}",
      asked, asked, asked + 2);
  say_to_server(getenv("BENCH_SERVER"), message);
}

/* ---- token lines --------------------------------------------------------------------------------------------------- */

static char token[512], assistant[ASSISTANT_BYTES + 1];
static size_t token_bytes, text_at, uuid_at, assistant_bytes, assistant_uuid_at;

static void build_lines(int is_stamped) {
  char text[STAMP_BYTES + 1];
  memset(text, '0', sizeof text);
  text[is_stamped ? STAMP_BYTES : TEXT_BYTES] = 0;
  token_bytes = (size_t)snprintf(token, sizeof token,
      "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
      "\"text\":\"%s\"}},\"session_id\":\"" SESSION "\",\"parent_tool_use_id\":null,\"uuid\":\"" UUID "\"}\n",
      text, (unsigned)getpid() & 0xffff);
  text_at = (size_t)(strstr(token, "\"text\":\"") - token) + 8;
  uuid_at = (size_t)(strstr(token, "\"uuid\":\"") - token) + 8;

  char head[512], tail[256];
  int head_bytes = snprintf(head, sizeof head,
      "{\"type\":\"assistant\",\"message\":{\"id\":\"" MESSAGE "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":"
      "\"claude-opus-5-5\",\"content\":[{\"type\":\"text\",\"text\":\"");
  int tail_bytes = snprintf(tail, sizeof tail,
      "\"}],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":10,\"output_tokens\":20}},"
      "\"parent_tool_use_id\":null,\"session_id\":\"" SESSION "\",\"uuid\":\"" UUID "\"}\n", (unsigned)getpid() & 0xffff);
  memcpy(assistant, head, (size_t)head_bytes);
  static const char words[] = "The parser keeps its place in the line when a chunk ends inside a character. ";
  for (int at = head_bytes; at < ASSISTANT_BYTES - tail_bytes; at += 1)
    assistant[at] = words[(size_t)(at - head_bytes) % (sizeof words - 1)];
  memcpy(assistant + ASSISTANT_BYTES - tail_bytes, tail, (size_t)tail_bytes);
  own(token);
  own(assistant);
  assistant_bytes = ASSISTANT_BYTES;
  assistant_uuid_at = (size_t)(strstr(assistant, "\"uuid\":\"") - assistant) + 8;
}

static void put_line(int is_assistant, int is_stamped) {
  char *line = output + output_bytes;
  line_count += 1;
  if (is_assistant) {
    memcpy(line, assistant, assistant_bytes);
    hex(line + assistant_uuid_at, line_count, 8);
    output_bytes += assistant_bytes;
    return;
  }
  memcpy(line, token, token_bytes);
  hex(line + uuid_at, line_count, 8);
  if (is_stamped) hex(line + text_at, now(), STAMP_BYTES);
  else hex(line + text_at, line_count, TEXT_BYTES);
  output_bytes += token_bytes;
}

/* Waits until then and answers what comes meanwhile. */
static void sleep_until(uint64_t then) {
  for (;;) {
    char *line = line_here();
    if (line != NULL) {
      take_meanwhile(line);
      continue;
    }
    uint64_t time = now();
    if (time >= then) return;
    uint64_t left = then - time;
    if (left < 1000000ull) {
      struct timespec rest = {0, (long)left};
      nanosleep(&rest, NULL);
      return;
    }
    if (fill((int)(left / 1000000ull)) == 0) _exit(0);
  }
}

static void stream(const char *prompt) {
  long lines = number(prompt, "lines", 0), write_bytes = number(prompt, "write", 65536), mixed = number(prompt, "mixed", 0);
  long asks = number(prompt, "ask", 0), rate = number(prompt, "rate", 0), burst = number(prompt, "burst", 1);
  int is_stamped = number(prompt, "stamp", 0) != 0;
  if (write_bytes > MAX_OUTPUT - 65536) write_bytes = MAX_OUTPUT - 65536;
  build_lines(is_stamped);
  flush();
  uint64_t start = now() + (uint64_t)number(prompt, "phase", 0) * 1000000ull;
  for (long index = 0; index < lines; index += 1) {
    if (rate > 0 && index % burst == 0) {
      flush();
      sleep_until(start + (uint64_t)index * 1000000000ull / (uint64_t)rate);
    }
    put_line(mixed > 0 && index % mixed == mixed - 1, is_stamped);
    if (output_bytes >= (size_t)write_bytes && (rate == 0 || burst == 1)) flush();
    if (asks > 0 && index % asks == asks - 1) ask();
  }
  flush();
}

static void long_line(long bytes) {
  char *text = malloc((size_t)bytes);
  if (text == NULL) fail("no memory");
  static const char words[] = "The parser keeps its place in the line when a chunk ends inside a character. ";
  for (long at = 0; at < bytes; at += 1) text[at] = words[(size_t)at % (sizeof words - 1)];
  put("{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"toolu_1\",\"type\":\"tool_result\","
      "\"content\":\"");
  flush();
  write_all(text, (size_t)bytes);
  free(text);
  put("\"}]},\"parent_tool_use_id\":null,\"session_id\":\"" SESSION "\",\"uuid\":\"00000000-0000-463c-8685-dd135828c873\"}\n");
  flush();
}

/* ---- a turn -------------------------------------------------------------------------------------------------------- */

static int by_size(const void *one, const void *other) {
  uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
  return a < b ? -1 : a > b;
}

/* Round trips one after another; their quantiles in nanoseconds become the text of the result. */
static void timed(long count, long warm, void (*round)(void), char *text, size_t room) {
  uint64_t *took = malloc((size_t)count * sizeof *took);
  if (took == NULL) fail("no memory");
  for (long index = -warm; index < count; index += 1) {
    uint64_t begin = now();
    round();
    if (index >= 0) took[index] = now() - begin;
  }
  qsort(took, (size_t)count, sizeof *took, by_size);
  snprintf(text, room, "min=%llu p50=%llu p99=%llu", (unsigned long long)took[0], (unsigned long long)took[count / 2],
      (unsigned long long)took[count * 99 / 100]);
  free(took);
}

static void turn(char *line) {
  static const char tail[] = ",\"session_id\":\"" SESSION "\",\"parent_tool_use_id\":null,\"uuid\":\"";
  char prompt[512], uuid[64] = "", text[256] = "done";
  const char *words = strstr(line, "BENCH");
  snprintf(prompt, sizeof prompt, "%.*s", words == NULL ? 0 : (int)strcspn(words, "\"\\"), words == NULL ? "" : words);
  field(line, "uuid", 1, uuid, sizeof uuid);
  if (*uuid != 0)
    put("{\"type\":\"command_lifecycle\",\"command_uuid\":\"%s\",\"state\":\"started\",\"uuid\":\"%08x-1111-4a4a-8b8b-000000000000\","
        "\"session_id\":\"" SESSION "\"}\n", uuid, ++line_count);
  put("{\"type\":\"system\",\"subtype\":\"init\",\"cwd\":\"/nowhere\",\"session_id\":\"" SESSION "\",\"tools\":[\"Bash\"],"
      "\"mcp_servers\":[],\"model\":\"claude-opus-5-5\",\"permissionMode\":\"default\",\"slash_commands\":[],\"apiKeySource\":"
      "\"none\",\"claude_code_version\":\"" VERSION "\",\"capabilities\":[\"msg_lifecycle_v1\"],\"output_style\":\"default\","
      "\"agents\":[],\"skills\":[],\"plugins\":[],\"uuid\":\"%08x-2222-4a4a-8b8b-000000000000\"}\n", ++line_count);
  put("{\"type\":\"stream_event\",\"event\":{\"type\":\"message_start\",\"message\":{\"id\":\"" MESSAGE "\",\"type\":\"message\","
      "\"role\":\"assistant\",\"model\":\"claude-opus-5-5\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":"
      "{\"input_tokens\":10,\"output_tokens\":1}}}%s%08x-3333-4a4a-8b8b-000000000000\"}\n", tail, ++line_count);
  put("{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
      "\"text\":\"\"}}%s%08x-4444-4a4a-8b8b-000000000000\"}\n", tail, ++line_count);
  long warm = number(prompt, "warm", 0);
  if (number(prompt, "lines", 0) > 0) stream(prompt);
  if (number(prompt, "asks", 0) > 0) timed(number(prompt, "asks", 0), warm, ask, text, sizeof text);
  if (number(prompt, "hooks", 0) > 0) timed(number(prompt, "hooks", 0), warm, call_hook, text, sizeof text);
  if (number(prompt, "tools", 0) > 0) timed(number(prompt, "tools", 0), warm, call_tool, text, sizeof text);
  if (number(prompt, "long", 0) > 0) long_line(number(prompt, "long", 0));
  put("{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_stop\",\"index\":0}%s%08x-5555-4a4a-8b8b-000000000000\"}\n",
      tail, ++line_count);
  put("{\"type\":\"assistant\",\"message\":{\"id\":\"" MESSAGE "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":"
      "\"claude-opus-5-5\",\"content\":[{\"type\":\"text\",\"text\":\"done\"}],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":"
      "{\"input_tokens\":10,\"output_tokens\":20}}%s%08x-6666-4a4a-8b8b-000000000000\"}\n", tail, ++line_count);
  put("{\"type\":\"stream_event\",\"event\":{\"type\":\"message_stop\"}%s%08x-7777-4a4a-8b8b-000000000000\"}\n", tail, ++line_count);
  put("{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"%s\",\"num_turns\":1,\"duration_ms\":1,"
      "\"duration_api_ms\":1,\"total_cost_usd\":0.001,\"permission_denials\":[],\"terminal_reason\":\"completed\",\"session_id\":"
      "\"" SESSION "\",\"usage\":{\"input_tokens\":10,\"output_tokens\":20},\"modelUsage\":{},\"uuid\":"
      "\"%08x-8888-4a4a-8b8b-000000000000\"", text, ++line_count);
  if (*uuid != 0) put(",\"user_message_uuids\":[\"%s\"]", uuid);
  put("}\n");
  if (*uuid != 0)
    put("{\"type\":\"command_lifecycle\",\"command_uuid\":\"%s\",\"state\":\"completed\",\"uuid\":"
        "\"%08x-9999-4a4a-8b8b-000000000000\",\"session_id\":\"" SESSION "\"}\n", uuid, ++line_count);
  flush();
}

int main(int count, char **arguments) {
  for (int index = 1; index < count; index += 1) {
    if (strcmp(arguments[index], "--version") != 0 && strcmp(arguments[index], "-v") != 0) continue;
    puts(VERSION " (Claude Code)");
    return 0;
  }
  int is_connected = getenv("BENCH_SERVER") == NULL;
  for (;;) {
    char *line = next_line();
    if (strstr(line, "\"control_request\"") != NULL) {
      int is_initialize = strstr(line, "\"initialize\"") != NULL;
      answer_request(line);
      if (is_initialize && !is_connected) {
        is_connected = 1;
        connect_server(getenv("BENCH_SERVER"));
      }
    } else if (strstr(line, "\"type\":\"user\"") != NULL) {
      turn(line);
    }
    while (waiting_count > 0) {
      char *first = waiting[0];
      memmove(waiting, waiting + 1, --waiting_count * sizeof *waiting);
      turn(first);
      free(first);
    }
  }
}
