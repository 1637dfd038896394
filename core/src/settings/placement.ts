import { type Fault, fault, Place, type Problem } from "../base/problem.js";
import { asObject, isStrings, type Members, parsedValue } from "../base/rpc/json.js";
import { formatShellWords, parseShellWords } from "../base/shell-words.js";
import { describeValue, type Shape } from "./shape.js";

type ContainerEngine = "podman" | "docker";

/** Machine, or part of one, on which agents and their chains run instead of here. */
export type Placement =
  | { readonly kind: "ssh"; readonly host: string }
  /** Without `engine`, the installed one. */
  | { readonly kind: "container"; readonly name: string; readonly engine?: ContainerEngine }
  /** Running dev container of the current folder. */
  | { readonly kind: "devcontainer" }
  | ({ readonly kind: "kubernetes"; readonly pod: string } & KubernetesOptions)
  /** Program and arguments that run the words appended to them, as `docker exec -i NAME` does. */
  | { readonly kind: "command"; readonly words: readonly string[] };

interface KubernetesOptions {
  readonly namespace?: string;
  readonly container?: string;
  readonly context?: string;
}

const forms = "ssh:HOST, container:NAME, devcontainer, kubernetes:POD, command:PROGRAM";
const engines: readonly string[] = ["podman", "docker"];
const keys = ["ssh", "container", "devcontainer", "kubernetes", "command"] as const;

const name = { type: "string", minLength: 1, pattern: "^[^\\s-]\\S*$" };
const only = (key: string, value: object, more: object = {}): object => {
  return { type: "object", properties: { [key]: value, ...more }, required: [key], additionalProperties: false };
};

/** Format of a placement in config.jsonc and in `--on '{…}'`. */
export const placementShape: Shape<Placement> = {
  schema: {
    description:
      "Another machine on which `run` and `chat` run agents and their chains. symposium-acp-agent must be installed there in the same " +
      "version.",
    anyOf: [
      only("ssh", { ...name, description: "Host name, user@host, or a Host of ~/.ssh/config." }),
      only("container", { ...name, description: "Name of a running container." }, { engine: { enum: engines } }),
      only("devcontainer", { const: true, description: "Running dev container of the current folder." }),
      only("kubernetes", {
        type: "object",
        properties: { pod: name, namespace: name, container: name, context: name },
        required: ["pod"],
        additionalProperties: false,
      }),
      only("command", {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        description: "Program and arguments that run the words appended to them.",
      }),
    ],
  },
  read(value, place) {
    const members = asObject(value);
    const given = keys.filter((key) => members?.[key] !== undefined);
    const [key] = given;
    if (!members || key === undefined || given.length > 1) {
      return place.report(
        `${place.label} must be an object with one of ${keys.join(", ")}, got ${describeValue(value)}.`,
        'For example: { "ssh": "HOST" }.',
      );
    }
    return readMembers(key, members, place);
  },
};

function readMembers(key: (typeof keys)[number], members: Members, place: Place): Placement | null {
  const { [key]: value, engine } = members;
  switch (key) {
    case "ssh": {
      const host = readName(value, place.child(key));
      return host === null ? null : { kind: key, host };
    }
    case "container": {
      const container = readName(value, place.child(key));
      if (container === null) return null;
      if (engine === undefined) return { kind: key, name: container };
      if (engine === "podman" || engine === "docker") return { kind: key, name: container, engine };
      return place.child("engine").report(`"engine" must be "podman" or "docker", got ${describeValue(engine)}.`);
    }
    case "devcontainer":
      if (value === true) return { kind: key };
      return place.child(key).report(`"devcontainer" must be true, got ${describeValue(value)}.`);
    case "kubernetes":
      return readKubernetes(asObject(value) ?? { pod: value }, place.child(key));
    case "command":
      if (isStrings(value) && isName(value[0])) return { kind: key, words: value };
      return place
        .child(key)
        .report(`"command" must be a list with a program and its arguments, got ${describeValue(value)}.`);
  }
}

function readKubernetes(members: Members, place: Place): Placement | null {
  const optional = (["namespace", "container", "context"] as const).flatMap((key) =>
    members[key] === undefined ? [] : [[key, readName(members[key], place.child(key))] as const],
  );
  const pod = readName(members["pod"], place.child("pod"));
  if (pod === null || optional.some(([, value]) => value === null)) return null;
  const options: KubernetesOptions = Object.fromEntries(optional);
  return { kind: "kubernetes", pod, ...options };
}

/** Reads a name that becomes an argument of another program, where a leading "-" would make it an option. */
function readName(value: unknown, place: Place): string | null {
  if (isName(value)) return value;
  return place.report(
    `${place.label} must be a name without spaces that doesn't begin with "-", got ${describeValue(value)}.`,
  );
}

function isName(value: unknown): value is string {
  // eslint-disable-next-line no-control-regex -- a name with control characters can't be a host, container or program
  return typeof value === "string" && /^[^\s-][^\s\u0000-\u001f]*$/u.test(value);
}

/** Parses the value of `--on`. */
export function parsePlacement(text: string): Placement | Fault {
  const problems: Problem[] = [];
  const placement = placementShape.read(membersOf(text), new Place(problems));
  if (placement) return placement;
  const [problem] = problems;
  return fault(`--on ${text}: ${problem?.message ?? "not a placement."}`, `Use one of ${forms}, or here.`);
}

function membersOf(text: string): unknown {
  if (text.trimStart().startsWith("{")) return parsedValue(text);
  const [kind = ""] = text.split(":", 1);
  const rest = text.slice(kind.length + 1);
  if (text === "devcontainer") return { devcontainer: true };
  if (engines.includes(kind)) return { container: rest, engine: kind };
  if (kind === "ssh" || kind === "container") return { [kind]: rest };
  if (kind === "kubernetes") return { kubernetes: podOf(rest.split("/")) };
  if (kind !== "command") return text;
  const words = parseShellWords(rest);
  return words.kind === "problem" ? text : { command: [words.command.command, ...words.command.args] };
}

/** Reads `POD`, `NAMESPACE/POD` or `NAMESPACE/POD/CONTAINER`. */
function podOf(parts: readonly string[]): Members {
  const [first, second, container, ...more] = parts;
  if (more.length > 0) return { pod: parts.join("/") + " " };
  if (second === undefined) return { pod: first };
  return { namespace: first, pod: second, ...(container !== undefined && { container }) };
}

/** Formats a placement as a value of `--on`, for messages. */
export function placementText(placement: Placement): string {
  switch (placement.kind) {
    case "ssh":
      return `ssh:${placement.host}`;
    case "container":
      return `${placement.engine ?? "container"}:${placement.name}`;
    case "devcontainer":
      return "devcontainer";
    case "kubernetes": {
      const { namespace, pod, container } = placement;
      // The short form can't name a container without a namespace.
      if (namespace === undefined && container !== undefined) return JSON.stringify({ kubernetes: { pod, container } });
      return `kubernetes:${[namespace, pod, container].filter((part) => part !== undefined).join("/")}`;
    }
    case "command": {
      const [command = "", ...args] = placement.words;
      return `command:${formatShellWords({ command, args, env: {} }) ?? command}`;
    }
  }
}

const bridge = ["symposium-acp-agent", "host", "--stdio"] as const;

/**
 * Returns a script for `sh` that runs a program. Non-interactive shells often lack the folders where npm installs programs, so the script
 * falls back to the login shell. Contains no single quote, since SSH passes it through the user's own shell.
 */
function scriptOf(words: readonly string[]): string {
  const line = words.join(" ");
  return (
    'PATH="$PATH:$HOME/.local/bin"; export PATH; ' +
    `command -v ${words[0] ?? ""} >/dev/null 2>&1 || exec "\${SHELL:-/bin/sh}" -lc "exec ${line}"; exec ${line}`
  );
}

interface PlacementStart {
  /** Installed engine, for containers without one. */
  readonly engine: ContainerEngine;
  /** Folder whose dev container is meant. */
  readonly folder: string;
}

/** Returns the command line that starts the bridge at `placement`. */
export function placementWords(placement: Placement, start: PlacementStart): readonly [string, ...string[]] {
  return wordsThere(placement, start, bridge);
}

/** Returns the command line that runs a Node program from stdin at `placement`. */
export function placementNode(placement: Placement, start: PlacementStart): readonly [string, ...string[]] {
  return wordsThere(placement, start, ["node", "-"]);
}

/** `words` are plain words, which no shell changes. */
function wordsThere(
  placement: Placement,
  { engine, folder }: PlacementStart,
  words: readonly string[],
): readonly [string, ...string[]] {
  const script = ["sh", "-c", scriptOf(words)];
  switch (placement.kind) {
    case "ssh":
      return ["ssh", "-T", "--", placement.host, `exec sh -c '${scriptOf(words)}'`];
    case "container":
      return [placement.engine ?? engine, "exec", "-i", placement.name, ...script];
    case "devcontainer":
      return ["devcontainer", "exec", "--workspace-folder", folder, ...script];
    case "kubernetes": {
      const { context, namespace, pod, container } = placement;
      const option = (key: string, value: string | undefined): string[] => (value === undefined ? [] : [key, value]);
      const target = [...option("--context", context), ...option("--namespace", namespace)];
      return ["kubectl", ...target, "exec", "-i", pod, ...option("--container", container), "--", ...script];
    }
    case "command": {
      const [program = "", ...args] = placement.words;
      return [program, ...args, ...words];
    }
  }
}
