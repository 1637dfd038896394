import * as l10n from "@vscode/l10n";
import type { ShownServer } from "../../../protocol/mcp-servers.js";
import type { ListedServer, RunningServer } from "./listed-servers.js";

export type ServerAction =
  | "restart"
  | "sign-in"
  | "sign-out"
  | "cancel"
  | "on"
  | "off"
  | "edit"
  | "edit-setting"
  | "allow";

const labels: Readonly<Record<ServerAction, string>> = {
  restart: l10n.t("Restart"),
  "sign-in": l10n.t("Sign In"),
  "sign-out": l10n.t("Sign Out"),
  cancel: l10n.t("Cancel"),
  on: l10n.t("Enable"),
  off: l10n.t("Disable"),
  edit: l10n.t("Edit"),
  "edit-setting": l10n.t("Edit"),
  allow: l10n.t("Allow…"),
};

export interface ServerRow {
  readonly id: string;
  readonly listed: ListedServer | undefined;
  /** The server as an agent runs it. If several agents run the server, this is the one with the worst state. */
  readonly running: RunningServer | undefined;
}

const severity = ["stopped", "ready", "starting", "needs-sign-in", "failed"];

export function serverRows(listed: readonly ListedServer[], running: readonly RunningServer[]): readonly ServerRow[] {
  const worst = new Map<string, RunningServer>();
  for (const server of running) {
    const id = idOf(server.name, server.origin.kind, server.origin.file);
    const other = worst.get(id);
    const sessions = (other?.sessions ?? 0) + server.sessions;
    const isWorse = !other || severity.indexOf(server.state.kind) > severity.indexOf(other.state.kind);
    worst.set(id, { ...(isWorse ? server : other), sessions });
  }
  const rows = listed.map((server): ServerRow => {
    const id = idOf(server.name, server.origin, server.file);
    return { id, listed: server, running: worst.get(id) };
  });
  const known = new Set(rows.map(({ id }) => id));
  const others = [...worst].filter(([id]) => !known.has(id));
  return [...rows, ...others.map(([id, server]): ServerRow => ({ id, listed: undefined, running: server }))];
}

function idOf(name: string, kind: string, file: string | undefined): string {
  return JSON.stringify([name, kind, file ?? ""]);
}

interface Shown {
  readonly busy: string | undefined;
  readonly lastError: string | undefined;
  readonly home: string;
}

export function shownServer({ id, listed, running }: ServerRow, { busy, lastError, home }: Shown): ShownServer {
  const { state, text, detail } = busy === undefined ? conditionOf(listed, running) : busyWith(busy);
  const { name = "", type = "" } = listed ?? running ?? {};
  const tools = shownTools(listed, running);
  return {
    id,
    name,
    from: fromText(listed?.origin ?? running?.origin.kind ?? "", listed?.file ?? running?.origin.file, home),
    transport: type,
    start: listed?.start ?? "",
    state,
    text,
    ...(detail === undefined ? {} : { detail }),
    ...(lastError === undefined || state === "failed" ? {} : { lastError }),
    ...(tools === undefined ? {} : { tools }),
    isBusy: busy !== undefined,
    actions: actionsOf(listed, running, busy !== undefined).map((action) => ({ id: action, label: labels[action] })),
  };
}

/**
 * Returns the tools that the sessions report, or the configured tools if there are none. Switches show the configuration for the next
 * session.
 */
function shownTools(listed: ListedServer | undefined, running: RunningServer | undefined): ShownServer["tools"] {
  if (!running || running.tools.length === 0) return listed?.tools;
  const written = new Map(listed?.tools?.map(({ name, isLeftOut }) => [name, isLeftOut]));
  return running.tools.map((tool) => ({ ...tool, isLeftOut: written.get(tool.name) ?? tool.isLeftOut }));
}

type Condition = Pick<ShownServer, "state" | "text" | "detail">;

function busyWith(text: string): Condition {
  return { state: "starting", text };
}

function conditionOf(listed: ListedServer | undefined, running: RunningServer | undefined): Condition {
  const isOff = listed?.state === "off";
  if (running && running.state.kind !== "stopped") {
    const shown = runningCondition(running);
    if (!isOff) return shown;
    return { ...shown, text: l10n.t("{0}; off for new sessions", shown.text) };
  }
  switch (listed?.state) {
    case "off":
      return {
        state: "off",
        text: l10n.t("Off"),
        ...(listed.offBy === "project" && { detail: l10n.t("The project turns it off.") }),
      };
    case "not-approved":
      return {
        state: "not-approved",
        text: l10n.t("Not allowed"),
        detail: l10n.t(
          "Requested by the project. Use the button to see and allow everything its configuration asks for; sessions here also ask you.",
        ),
      };
    case "incomplete":
      return {
        state: "incomplete",
        text: l10n.t("Incomplete"),
        detail: l10n.t("{0} has no value.", listed.missing.join(", ")),
      };
    default:
      return { state: "idle", text: l10n.t("Not running"), detail: l10n.t("Starts with the next session.") };
  }
}

function runningCondition({ state: { kind, reason, hint, retryAt }, sessions }: RunningServer): Condition {
  switch (kind) {
    case "ready":
      return {
        state: "running",
        text: sessions === 1 ? l10n.t("Running in 1 session") : l10n.t("Running in {0} sessions", sessions),
      };
    case "needs-sign-in":
      return { state: "sign-in", text: l10n.t("Waiting for you to sign in") };
    case "failed": {
      const next = retryAt === undefined ? undefined : l10n.t("It is retried automatically.");
      const sentences = [reason, hint, next].filter((one) => one !== undefined).map((one) => one.trim());
      const detail = sentences.map((one) => (/[.!?]$/.test(one) ? one : `${one}.`)).join(" ");
      return { state: "failed", text: l10n.t("Failed"), detail };
    }
    default:
      return { state: "starting", text: l10n.t("Starting") };
  }
}

function actionsOf(
  listed: ListedServer | undefined,
  running: RunningServer | undefined,
  isBusy: boolean,
): readonly ServerAction[] {
  if (isBusy) return ["cancel"];
  const actions: ServerAction[] = [];
  const kind = running?.state.kind;
  if (kind === "needs-sign-in") actions.push("sign-in");
  if (kind !== undefined && kind !== "stopped") actions.push("restart");
  if (!listed) return actions;
  const isRemote = listed.type !== "stdio";
  const isUsable = listed.state === "on" || listed.state === "incomplete";
  if (isRemote && listed.isSignedIn === true) actions.push("sign-out");
  else if (isRemote && isUsable && kind === undefined) actions.push("sign-in");
  if (listed.state === "not-approved") actions.push("allow");
  if (isUsable) actions.push("off");
  if (listed.state === "off" && listed.offBy !== "project" && canEnable(listed)) actions.push("on");
  if (listed.file !== undefined) actions.push("edit");
  else if (listed.origin === "editor") actions.push("edit-setting");
  return actions;
}

/**
 * Returns whether a server can be switched on here. A server that another product's or the project's file switches off can be switched on
 * only in that file.
 */
function canEnable({ offBy, origin }: ListedServer): boolean {
  return offBy === "exclude" || origin === "user";
}

function fromText(kind: string, file: string | undefined, home: string): string {
  const path = file?.startsWith(home) === true ? `~${file.slice(home.length)}` : file;
  switch (kind) {
    case "user":
      return path ?? l10n.t("Your configuration");
    case "project":
      return l10n.t("This project: {0}", path ?? "");
    case "local":
      return l10n.t("This project, only for you: {0}", path ?? "");
    case "editor":
      return l10n.t("VS Code settings");
    default:
      return l10n.t("An extension in the agent's chain");
  }
}
