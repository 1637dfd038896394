/**
 * What a row says of an event. Pure: `kindOf(event)`, `previewOf(event)`, `formatTime(seconds)`. Members of
 * events may have any type, since a trace is read as it stands.
 */
export const labelScript = String.raw`
const maxPreview = 160;

function kindOf(event) {
  if (event.type === "process") return "process";
  if (event.type === "response") return event.is_error ? "error" : "response";
  if (event.method === "$/cancel_request") return "cancel";
  return event.type;
}

function textOf(value) {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

function clip(text) {
  const line = text.slice(0, maxPreview * 4).replace(/\s+/g, " ").trim();
  return line.length > maxPreview ? line.slice(0, maxPreview) + "…" : line;
}

function join(...parts) {
  return clip(parts.map(textOf).filter((part) => part !== "").join(" "));
}

/** The first scalar members, for messages that no rule below knows. */
function gist(value) {
  if (typeof value !== "object" || value === null) return value === null ? "" : clip(textOf(value));
  const scalars = Object.entries(value).filter(([key, member]) => key !== "sessionId" && typeof member !== "object");
  return clip(scalars.slice(0, 4).map(([key, member]) => key + ": " + textOf(member)).join(", "));
}

function updateText(update) {
  return textOf(update?.content?.text ?? update?.title ?? update?.status ?? update?.currentModeId);
}

function requestPreview(method, params) {
  switch (method) {
    case "session/update":
      return join(params.update?.sessionUpdate, updateText(params.update), params.update?.title ? params.update.status : undefined);
    case "session/prompt":
      return join(...(Array.isArray(params.prompt) ? params.prompt.map((block) => block?.text ?? block?.type) : []));
    case "session/request_permission":
      return join(params.toolCall?.title ?? params.toolCall?.toolCallId);
    case "initialize":
      return join(params.clientInfo?.name, params.clientInfo?.version, "protocol " + textOf(params.protocolVersion));
    case "session/new": case "session/load": case "session/resume": case "session/fork":
      return join(params.cwd);
    case "mcp/message": case "_mcp/message":
      return join(params.method, params.params?.name);
    default:
      return gist(params);
  }
}

function responsePreview(event) {
  const payload = event.payload ?? event.error ?? event.result;
  if (event.is_error) return join(payload?.code, payload?.message);
  const content = payload?.result?.content;
  if (event.protocol === "mcp" && Array.isArray(content)) return join(...content.map((block) => block?.text ?? block?.type));
  return join(payload?.stopReason ?? payload?.sessionId ?? payload?.outcome?.optionId ?? payload?.agentInfo?.name) || gist(payload);
}

function processPreview(event) {
  if (event.event === "start") return join("started", event.command, Array.isArray(event.args) ? event.args.join(" ") : undefined, event.pid === undefined ? "" : "(pid " + event.pid + ")");
  if (event.event !== "exit") return join(event.event, event.text);
  const reason = event.signal ? "by " + textOf(event.signal) : "with code " + textOf(event.code);
  return join("exited", reason, event.text);
}

function previewOf(event) {
  if (event.type === "process") return processPreview(event);
  if (event.type === "response") return responsePreview(event);
  return requestPreview(event.method, event.params ?? {});
}

function formatTime(seconds) {
  if (seconds < 60) return seconds.toFixed(3);
  const whole = Math.floor(seconds / 60);
  return whole + ":" + (seconds - whole * 60).toFixed(3).padStart(6, "0");
}
`;
