/*
 * A CLI that costs next to nothing, for many at a time. Each has a conversation of its own, the one it is to resume or a new
 * one. A prompt is words, done in their order: LINES n, ASK, HOOK, TOOL, WAIT ms, CRASH.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char conversation[64], hook_id[64], *line;
static size_t room;
static unsigned asked, said;

static void say(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vprintf(format, values);
  va_end(values);
  fflush(stdout);
}

/* The text behind a name, up to its quotation mark. */
static void text_of(const char *from, const char *name, char *text, size_t most) {
  const char *at = strstr(from, name);
  size_t length = 0;
  if (at != NULL)
    for (at += strlen(name); *at != '"' && *at != 0 && length + 1 < most; at += 1) text[length++] = *at;
  text[length] = 0;
}

static void next_line(void) {
  if (getline(&line, &room, stdin) < 0) _exit(0);
}

static void answer(void) {
  char id[128];
  text_of(line, "\"request_id\":\"", id, sizeof id);
  if (strstr(line, "\"initialize\"") != NULL) text_of(line, "\"hookCallbackIds\":[\"", hook_id, sizeof hook_id);
  say("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\",\"response\":{"
      "\"claude_code_version\":\"2.1.332\",\"capabilities\":[\"msg_lifecycle_v1\"],\"commands\":[],\"models\":[]}}}\n", id);
}

static int is_interrupted;
/* Prompts that came while an answer was waited for. */
static char *waiting[16];
static unsigned waiting_count;

static void request(const char *format, ...) {
  char id[64], body[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(body, sizeof body, format, values);
  va_end(values);
  snprintf(id, sizeof id, "%08x-%08x", asked += 1, (unsigned)getpid());
  say("{\"type\":\"control_request\",\"request_id\":\"%s\",\"request\":%s}\n", id, body);
  for (;;) {
    next_line();
    if (strstr(line, "\"control_response\"") != NULL && strstr(line, id) != NULL) return;
    if (strstr(line, "\"interrupt\"") != NULL) is_interrupted = 1;
    if (strstr(line, "\"control_request\"") != NULL) answer();
    else if (strstr(line, "\"type\":\"user\"") != NULL && waiting_count < 16) waiting[waiting_count++] = strdup(line);
    if (is_interrupted) return;
  }
}

static void to_server(const char *message) {
  request("{\"subtype\":\"mcp_message\",\"server_name\":\"soak\",\"message\":%s}", message);
}

static void lines(int count) {
  for (; count > 0; count -= 1)
    say("{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
        "\"text\":\"word \"}},\"session_id\":\"%s\",\"parent_tool_use_id\":null,\"uuid\":\"%08x-1111-4a4a-8b8b-%012x\"}\n",
        conversation, said += 1, (unsigned)getpid());
}

static void turn(char *work) {
  char uuid[64], *rest, *word;
  text_of(work, "\"uuid\":\"", uuid, sizeof uuid);
  is_interrupted = 0;
  say("{\"type\":\"command_lifecycle\",\"command_uuid\":\"%s\",\"state\":\"started\",\"session_id\":\"%s\"}\n", uuid, conversation);
  say("{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"%s\",\"model\":\"m\",\"permissionMode\":\"default\","
      "\"tools\":[\"Bash\"],\"mcp_servers\":[],\"claude_code_version\":\"2.1.332\"}\n", conversation);
  for (word = strtok_r(work, " \"", &rest); word != NULL && !is_interrupted; word = strtok_r(NULL, " \"", &rest)) {
    if (strcmp(word, "LINES") == 0) lines(atoi(strtok_r(NULL, " \"", &rest)));
    else if (strcmp(word, "WAIT") == 0) usleep(1000 * (unsigned)atoi(strtok_r(NULL, " \"", &rest)));
    else if (strcmp(word, "CRASH") == 0) abort();
    else if (strcmp(word, "ASK") == 0)
      request("{\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\",\"input\":{\"command\":\"ls\"},\"tool_use_id\":\"t%u\"}", asked);
    else if (strcmp(word, "HOOK") == 0 && *hook_id != 0)
      request("{\"subtype\":\"hook_callback\",\"callback_id\":\"%s\",\"input\":{\"hook_event_name\":\"PreToolUse\","
              "\"tool_name\":\"Bash\",\"tool_input\":{}},\"tool_use_id\":\"t%u\"}", hook_id, asked);
    else if (strcmp(word, "TOOL") == 0)
      to_server("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}}}");
  }
  say("{\"type\":\"result\",\"subtype\":\"%s\",\"is_error\":%s,\"result\":\"done\",\"num_turns\":1,\"total_cost_usd\":0.001,"
      "\"session_id\":\"%s\",\"user_message_uuids\":[\"%s\"],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}%s}\n",
      is_interrupted ? "error_during_execution" : "success", is_interrupted ? "true" : "false", conversation, uuid,
      is_interrupted ? ",\"terminal_reason\":\"aborted_streaming\"" : "");
  say("{\"type\":\"command_lifecycle\",\"command_uuid\":\"%s\",\"state\":\"completed\",\"session_id\":\"%s\"}\n", uuid, conversation);
  free(work);
}

int main(int count, char **arguments) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  snprintf(conversation, sizeof conversation, "%08x-%04x-4a4a-8b8b-%012lx", (unsigned)getpid(),
           (unsigned)(time.tv_nsec & 0xffff), (unsigned long)time.tv_nsec);
  for (int at = 1; at < count; at += 1) {
    if (strcmp(arguments[at], "--version") == 0) return puts("2.1.332 (Claude Code)"), 0;
    if (strncmp(arguments[at], "--resume=", 9) == 0) snprintf(conversation, sizeof conversation, "%s", arguments[at] + 9);
  }
  for (int is_connected = 0;;) {
    while (waiting_count > 0) {
      char *first = waiting[0];
      memmove(waiting, waiting + 1, --waiting_count * sizeof *waiting);
      turn(first);
    }
    next_line();
    if (strstr(line, "\"control_request\"") != NULL) {
      int is_first = strstr(line, "\"initialize\"") != NULL && !is_connected;
      answer();
      if (!is_first) continue;
      is_connected = 1;
      to_server("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","
                "\"capabilities\":{},\"clientInfo\":{\"name\":\"claude-code\",\"version\":\"2.1.332\"}}}");
      to_server("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
      to_server("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    } else if (strstr(line, "\"type\":\"user\"") != NULL) turn(strdup(line));
  }
}
