import { asObject } from "../base/rpc/json.js";
import type { Place } from "../base/problem.js";

/** Symposium's keys for servers, by the names that other products use. */
const otherKeys: Readonly<Record<string, string>> = {
  serverUrl: "url",
  httpUrl: "url",
  environment: "env",
  includeTools: "tools",
  enabledTools: "tools",
  disabledTools: "excludeTools",
  workingDirectory: "cwd",
  auth: "oauth",
};

/** Symposium's transport types, by the names that other products use. */
const otherTypes: Readonly<Record<string, string>> = {
  local: "stdio",
  "streamable-http": "http",
  streamableHttp: "http",
  streamable_http: "http",
  remote: "http",
};

const otherOAuthKeys: Readonly<Record<string, string>> = {
  client_id: "clientId",
  CLIENT_ID: "clientId",
  client_secret: "clientSecret",
  CLIENT_SECRET: "clientSecret",
  scope: "scopes",
};

/** Keys with units or meanings that differ between products, and their replacements. */
const unclearKeys: Readonly<Record<string, string>> = {
  timeout: 'Its unit varies between products. Use "callTimeoutMs" or "startTimeoutMs", in milliseconds.',
};

/** Converts keys and values of other products to Symposium's, each with a warning. Returns non-objects unmodified. */
export function usualServerText(value: unknown, place: Place): unknown {
  const given = asObject(value);
  if (!given) return value;
  const warn = place.as("warning");
  const members = new Map<string, unknown>();
  for (const [key, member] of Object.entries(given)) {
    const usual = own(otherKeys, key);
    const hint = own(unclearKeys, key);
    if (hint !== undefined) warn.child(key).report(`${warn.child(key).label} has no effect.`, hint);
    else if (usual === undefined) members.set(key, member);
    else if (Object.hasOwn(given, usual))
      warn.child(key).report(`${warn.child(key).label} has no effect because "${usual}" is set.`);
    else members.set(usual, renamed(member, key, usual, warn));
  }
  usualCommand(members, warn);
  const type = members.get("type");
  const known = typeof type === "string" ? own(otherTypes, type) : undefined;
  if (known !== undefined) {
    members.set("type", known);
    warn.child("type").report(`"${String(type)}" is read as "${known}".`, `Use "type": "${known}", or remove it.`);
  }
  if (members.has("env")) members.set("env", usualEnv(members.get("env"), warn.child("env")));
  if (members.has("oauth")) members.set("oauth", usualOAuth(members.get("oauth"), warn.child("oauth")));
  return Object.fromEntries(members);
}

function renamed(member: unknown, key: string, usual: string, warn: Place): unknown {
  warn.child(key).report(`${warn.child(key).label} is read as "${usual}".`, `Write "${usual}" instead.`);
  return member;
}

/** Accepts OpenCode's list of words for `command`. */
function usualCommand(members: Map<string, unknown>, warn: Place): void {
  const command = members.get("command");
  if (!Array.isArray(command) || command.length === 0 || members.has("args")) return;
  const [program, ...rest] = command as readonly unknown[];
  members.set("command", program);
  members.set("args", rest);
  const place = warn.child("command");
  place.report(
    `${place.label} is a list instead of text.`,
    'Use the first item as "command" and the others as "args".',
  );
}

/** Converts numbers and booleans to text and omits null. Messages never show values. */
function usualEnv(value: unknown, place: Place): unknown {
  const given = asObject(value);
  if (!given) return value;
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, member]): [string, unknown][] => {
      const variable = place.child(name);
      if (member === null) {
        variable.report(`${variable.label} is null and is skipped.`, "Remove it.");
        return [];
      }
      if (typeof member !== "number" && typeof member !== "boolean") return [[name, member]];
      variable.report(`${variable.label} is read as text.`, "Put its value in quotation marks.");
      return [[name, String(member)]];
    }),
  );
}

function usualOAuth(value: unknown, place: Place): unknown {
  const given = asObject(value);
  // Some products write a boolean to state that nothing is registered.
  if (value === false || value === true) return undefined;
  if (!given) return value;
  return Object.fromEntries(
    Object.entries(given).map(([key, member]) => {
      const usual = own(otherOAuthKeys, key) ?? key;
      if (usual !== key)
        place.child(key).report(`${place.child(key).label} is read as "${usual}".`, `Write "${usual}" instead.`);
      return [
        usual,
        usual === "scopes" && typeof member === "string" ? member.split(/[\s,]+/).filter(Boolean) : member,
      ];
    }),
  );
}

function own(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
