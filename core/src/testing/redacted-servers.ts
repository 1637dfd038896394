import { Json } from "../rpc/json.js";

/** The `mcpServers` of a session without what may be secret: values of variables and headers, and queries of URLs. */
export function redactedServers(servers: Json): Readonly<Record<string, unknown>>[] {
  return elements(servers.value).map((server) => {
    const redacted = { ...server };
    if ("env" in server) redacted["env"] = names(server["env"]);
    if ("headers" in server) redacted["headers"] = names(server["headers"]);
    const url = server["url"];
    if (typeof url === "string") redacted["url"] = url.replace(/[?#].*$/, "");
    return redacted;
  });
}

function names(list: unknown): unknown[] {
  return elements(list).map((entry) => entry["name"]);
}

function elements(list: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.map((element: unknown) => Json.of(element).object ?? {}) : [];
}
