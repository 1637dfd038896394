import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { LastingAnswers } from "@symposium-dev/core/node";
import { answerToGuardRules } from "../../../src/features/permissions/answer-to-guard-rules.js";
import type { PermissionRequest } from "../../../src/features/permissions/permission-request.js";
import { answeringRule, proposedSubject, type RuleSubject } from "../../../src/features/permissions/permission-rule.js";
import {
  guardedCall,
  type PermissionSubject,
  subjectOf,
} from "../../../src/features/permissions/permission-subject.js";

/** Numbers that are the same each time (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const kinds = ["read", "edit", "delete", "move", "search", "execute", "fetch", "other", "switch_mode"];
const commands = [
  ...[
    "git diff",
    "git diff --stat",
    "git diff *",
    "git diff --output=x",
    "git log && git diff",
    "git status | head -5",
  ],
  ...[
    "make",
    "make *",
    "make  a",
    "make a && make b",
    "npm test",
    "npm run build",
    "npm run build --watch",
    "cat src/a.ts",
  ],
  ...["cat .env", "ls", "ls src", "cd src && ls", "PAGER=x git diff", "$X y", "echo 'a b' > out", "git diff && make"],
];
const paths = [
  ...[
    "src/a.ts",
    "src/b*.ts",
    "src",
    ".",
    ".env",
    ".vscode/tasks.json",
    ".git/config",
    "link",
    "src/A.ts",
    "src/[ab].ts",
  ],
  ...["../other/x.ts", "/etc/hosts", "src/a.ts/c", "out/x", "**"],
];
const urls = [
  ...[
    "https://a.example/x",
    "http://a.example/x",
    "http://a.example:443/x",
    "https://a.example:8443/",
    "ftp://a.example/",
  ],
  ...["https://b.a.example/", "https://A.example:443/y", "http://localhost:8080/", "https://user:word@a.example/"],
];

describe("rules that are made of answers", () => {
  let outer = "";
  const roots = { here: "", there: "" };
  before(async () => {
    outer = await realpath(await mkdtemp(join(tmpdir(), "lasting-rules-")));
    for (const name of ["here", "there"] as const) {
      const folder = join(outer, name);
      roots[name] = folder;
      for (const one of ["src", ".vscode", ".git", "out"]) await mkdir(join(folder, one), { recursive: true });
      for (const one of ["src/a.ts", "src/b*.ts", ".env", ".git/config"]) await writeFile(join(folder, one), "");
    }
    await symlink(join(outer, "there"), join(roots.here, "link"));
  });
  after(() => rm(outer, { recursive: true }));

  const random = randomFrom(7);
  const pick = <T>(all: readonly T[]): T => {
    const one = all[Math.floor(random() * all.length)];
    assert.ok(one !== undefined);
    return one;
  };
  const maybe = <T>(chance: number, make: () => T): T | undefined => (random() < chance ? make() : undefined);

  /** What is like a request that an agent made before, with or without something changed. */
  function changed(request: PermissionRequest): PermissionRequest {
    const other = anyRequest();
    const key = pick(["toolKind", "rawInput", "locations", "none", "none", "toolCallId"] as const);
    return key === "none" ? request : { ...request, [key]: other[key] };
  }

  function anyRequest(): PermissionRequest {
    const command = maybe(0.5, () => pick(commands));
    const isWords = command !== undefined && random() < 0.15;
    const rawInput = {
      ...(command !== undefined && { command: isWords ? command.split(" ") : command }),
      ...maybe(0.15, () => ({ cwd: pick(["src", "..", ".", "out"]) })),
      ...maybe(0.1, () => ({ env: { [pick(["CI", "PATH"])]: "1" } })),
      ...maybe(0.1, () => ({ with_escalated_permissions: true })),
      ...maybe(0.2, () => ({ url: pick(urls) })),
      ...maybe(0.2, () => ({ file_path: pick(paths) })),
    };
    const locations = Array.from({ length: pick([0, 0, 1, 1, 2]) }, () => ({ path: pick(paths) }));
    const toolKind = command === undefined || random() < 0.2 ? pick(kinds) : "execute";
    return {
      toolCallId: random() < 0.05 ? "elicitation-1" : "call",
      title: pick(["One", "Two"]),
      ...{ toolKind, rawInput, locations, content: [], options: [] },
    };
  }

  /** Picks a subject that the user could save, with the card or by hand. */
  function remembered(asked: PermissionSubject): RuleSubject | undefined {
    const words = (command: string): RuleSubject => ({ type: "command-prefix", words: command.split(" ") });
    return pick<() => RuleSubject | undefined>([
      () => proposedSubject(asked),
      () => proposedSubject(asked),
      () => proposedSubject(asked),
      () => words(pick(commands)),
      () => ({ type: "path", path: asked.paths[0]?.real ?? join(roots.here, pick(paths)) }),
      () => (asked.origin === undefined ? undefined : { type: "origin", origin: asked.origin }),
      () => ({ type: "workspace" }),
    ])();
  }

  it("allow nothing that the answer would not have allowed: other calls, folders, agents and sessions ask", async function () {
    this.timeout(300_000);
    const counts = { rules: 0, same: 0, narrower: 0 };
    for (let round = 0; round < 500; round++) {
      const first = anyRequest();
      const session = { agent: { id: "mine", name: "Mine" }, roots: [roots.here], sessionId: "s" };
      const subject = remembered(await subjectOf(first, session));
      if (!subject) continue;
      const scope = pick(["workspace", "always"] as const);
      const { toolKind } = first;
      const folder = scope === "workspace" ? roots.here : undefined;
      const rules = answerToGuardRules(subject, { agent: "guarded", toolKind, folder });
      if (!rules) continue;
      counts.rules++;
      const config = join(outer, `config-${round}`);
      const answers = new LastingAnswers(config, homedir());
      await answers.save(rules);
      const old = {
        id: "1",
        agentId: "mine",
        agentName: "Mine",
        toolKind,
        effect: "allow",
        sessionId: "s",
        subject,
        createdAt: 0,
      } as const;
      for (let later = 0; later < 30; later++) {
        const request = later % 3 === 0 ? anyRequest() : changed(first);
        const [where, who] = [pick(["here", "here", "there"] as const), pick(["mine", "mine", "mine", "another"])];
        const asking = { ...session, agent: { id: who, name: who }, roots: [roots[where]] };
        // A rule for a workspace must not answer elsewhere.
        const isKept = scope === "always" || where === "here";
        const asked = await subjectOf(request, asking);
        const did = isKept && answeringRule([old], asked) !== undefined;
        const agent = () => Promise.resolve(who === "mine" ? "guarded" : "another");
        // Leaving a plan is for the user alone, whatever the guard says: the card asks.
        const does = (await answers.allowing(guardedCall(request), { roots: asking.roots, agent })) !== undefined;
        assert.ok(did || !does, JSON.stringify({ rules, request, where, who }));
        if (did) counts[does ? "same" : "narrower"]++;
      }
    }
    // They say something, and nearly all of it.
    assert.ok(counts.rules > 120, JSON.stringify(counts));
    assert.ok(counts.same > 300 && counts.same > counts.narrower, JSON.stringify(counts));
  });
});
