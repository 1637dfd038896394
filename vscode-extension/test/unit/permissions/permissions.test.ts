import * as l10n from "@vscode/l10n";
import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsePermissionRequest } from "../../../src/features/permissions/permission-request.js";
import { subjectOf } from "../../../src/features/permissions/permission-subject.js";
import {
  agentOptions,
  editRequest,
  type PermissionFixture,
  pressed,
  runRequest,
  withPermissions,
} from "./permission-fixture.js";
import type { RecordingSession } from "./recording-session.js";

const once = { outcome: { outcome: "selected", optionId: "once" } };
const no = { outcome: { outcome: "selected", optionId: "no" } };
const npmTestGrant = "which runs the project's own script, whatever the script does, with workspace files";
const cancelled = { outcome: { outcome: "cancelled" } };

describe("permissions", () => {
  let folder: string;
  let fixture: PermissionFixture;
  let session: RecordingSession;

  withPermissions((place) => ({ folder, fixture, session } = place));

  const ask = (params: unknown, signal?: AbortSignal): Promise<unknown> => fixture.ask(session, params, signal);
  const remember = (params: unknown, scope?: "session" | "workspace" | "always"): Promise<void> =>
    fixture.remember(session, params, scope);
  const isAllowed = (params: unknown): Promise<boolean> => fixture.isAllowed(session, params);

  it("shows the command, its folder and every option, and answers with the one the user chose", async () => {
    const answer = ask(runRequest("npm test", { cwd: folder }));
    const { id, ...card } = await session.openCard();
    assert.deepEqual(card, {
      kind: "permission",
      agentName: "Scripted agent",
      toolCallId: "call",
      title: "npm test",
      toolKind: "execute",
      locations: [],
      content: [],
      warnings: [],
      options: agentOptions,
      command: "npm test",
      cwd: folder,
      input: JSON.stringify({ command: "npm test", cwd: folder }, null, 2),
      ruleLabel: `run npm test …, ${npmTestGrant}`,
    });
    await fixture.permissions.respond(pressed(id, "always"));
    assert.deepEqual(await answer, { outcome: { outcome: "selected", optionId: "always" } });
    assert.deepEqual(session.itemsOf("permission")[0]?.answer, { optionId: "always", label: "Always" });
  });

  it("offers no rule of its own where the answers say what lasts of them", async () => {
    const answer = ask({
      ...(runRequest("npm test", { cwd: folder }) as object),
      _meta: { "symposium/ownAnswers": true },
    });
    const { id, agentName, hasOwnAnswers, ruleLabel } = await session.openCard();
    assert.equal(agentName, "Symposium");
    await fixture.permissions.respond(pressed(id, "once", { remember: "always" }));
    assert.deepEqual(
      [await answer, hasOwnAnswers, ruleLabel, fixture.remembered.inSessions],
      [once, true, undefined, []],
    );
    assert.deepEqual(await fixture.rules(), []);
  });

  it("shortens no path in its title of which a named one is a part", async () => {
    const path = join(folder, "src/a.ts");
    const title = `Edit ${path} as /evil${path} and ${path}.bak`;
    void ask({
      sessionId: "session-1",
      toolCall: { toolCallId: "call", title, kind: "edit", locations: [{ path }] },
      options: agentOptions,
    });
    assert.equal((await session.openCard()).title, `Edit src/a.ts as /evil${path} and ${path}.bak`);
  });

  it("names files of the folder in its title as in its links, and the same end of two texts nowhere", async () => {
    const path = join(folder, "src/a.ts");
    const content = [{ type: "diff", path, oldText: "a", newText: "b" }];
    const toolCall = { toolCallId: "call", title: path, kind: "edit", locations: [{ path }], content };
    void ask({ sessionId: "session-1", toolCall, options: agentOptions });
    const card = await session.openCard();
    const [diff] = card.content;
    assert.deepEqual([card.title, diff?.type === "diff" && diff.patch], ["src/a.ts", "@@ -1,1 +1,1 @@\n-a\n+b"]);
  });

  it("shows what an edit would change, and where in the file", async () => {
    fixture.texts.set(join(folder, "src/a.ts"), "first\na\n");
    void ask(editRequest(join(folder, "src/a.ts")));
    const { content, locations } = await session.openCard();
    assert.deepEqual(
      [content, locations],
      [
        [
          {
            type: "diff",
            path: join(folder, "src/a.ts"),
            patch: "@@ -1,1 +1,1 @@\n-a\n+b",
            added: 1,
            removed: 1,
            isNewFile: false,
            isCut: false,
            startsAt: 2,
          },
        ],
        [{ path: join(folder, "src/a.ts"), label: join("src", "a.ts") }],
      ],
    );
  });

  it("takes what the request leaves out from the tool call", async () => {
    session.publish({
      op: "put",
      item: {
        kind: "tool",
        id: "call",
        title: "List files",
        toolKind: "execute",
        status: "pending",
        locations: [],
        content: [],
        input: '{ "command": "ls" }',
        startedAt: 0,
      },
    });
    void ask({ toolCall: { toolCallId: "call" }, options: agentOptions });
    const { title, toolKind, command } = await session.openCard();
    assert.deepEqual({ title, toolKind, command }, { title: "List files", toolKind: "execute", command: "ls" });
  });

  it("writes out hidden characters and warns of them", async () => {
    void ask(runRequest("echo a\u202eb"));
    const { command, warnings } = await session.openCard();
    assert.deepEqual(
      [command, warnings],
      [
        "echo a‹U+202E›b",
        [
          "The title contains hidden characters, shown as codes: U+202E.",
          "The command contains hidden characters, shown as codes: U+202E.",
        ],
      ],
    );
  });

  it("warns of a path outside the workspace that a link inside leads to", async () => {
    await symlink("/etc", join(folder, "link"));
    void ask(editRequest(join(folder, "link/hosts")));
    const { warnings } = await session.openCard();
    assert.deepEqual(warnings, [`${folder}/link/hosts is outside the workspace. It leads to /etc/hosts.`]);
  });

  it("counts what waits in the tab until it is answered", async () => {
    const answers = [ask(runRequest("ls")), ask(runRequest("pwd"))];
    await session.openCard(1);
    assert.equal(session.transcript.state.waiting, 2);
    const [first, second] = session.itemsOf("permission").map(({ id }) => id);
    const all = { type: "approve-all", tabId: "tab-1", answer: "reject" } as const;
    fixture.permissions.respondAll({ ...all, approvalIds: [first ?? "", "gone"] });
    assert.deepEqual(await Promise.race(answers), no);
    assert.equal(session.transcript.state.waiting, 1, "what the user has not seen is not answered");
    fixture.permissions.respondAll({ ...all, tabId: "other", approvalIds: [second ?? ""] });
    assert.equal(session.transcript.state.waiting, 1);
    fixture.permissions.respondAll({ ...all, approvalIds: [second ?? ""] });
    assert.deepEqual(await Promise.all(answers), [no, no]);
    assert.equal(session.transcript.state.waiting, 0);
  });

  it("is cancelled at once when the agent gives the request up", async () => {
    const controller = new AbortController();
    const answer = ask(runRequest("ls"), controller.signal);
    await session.openCard();
    controller.abort();
    assert.deepEqual(await answer, cancelled);
    assert.deepEqual(session.itemsOf("permission")[0]?.answer, { label: "Cancelled" });
  });

  it("is cancelled when its session ends, and takes the session's rules along", async () => {
    await remember(runRequest("npm test"), "session");
    const answer = ask(runRequest("npm publish"));
    await session.openCard();
    fixture.permissions.sessionEnded("session-1");
    assert.deepEqual([await answer, fixture.remembered.inSessions], [cancelled, []]);
  });

  it("ignores an option that was not offered and a second answer", async () => {
    const answer = ask(runRequest("ls"));
    const { id } = await session.openCard();
    await fixture.permissions.respond(pressed(id, "root"));
    assert.equal(session.itemsOf("permission")[0]?.answer, undefined);
    await fixture.permissions.respond(pressed(id, "no"));
    await fixture.permissions.respond(pressed(id, "once"));
    assert.deepEqual(await answer, no);
  });

  it("refuses a request without options, which nobody could answer", async () => {
    await assert.rejects(ask({ toolCall: { toolCallId: "call" }, options: [{ name: "Allow" }] }), {
      message: "Invalid params: a permission request needs an option",
    });
  });

  it("sends a comment on a rejection to the agent", async () => {
    const answer = ask(runRequest("npm test"));
    const { id } = await session.openCard();
    await fixture.permissions.respond(pressed(id, "no", { comment: " Use pnpm. " }));
    assert.deepEqual(await answer, { ...no, _meta: { "symposium/comment": "Use pnpm." } });
    assert.deepEqual(fixture.comments, ['I did not allow "npm test". Use pnpm.']);
  });

  it("sends a comment in English even if the user's texts are translated", async () => {
    l10n.config({ contents: { "did not allow": "nicht erlaubt", Cancelled: "Abgebrochen" } });
    try {
      const answer = ask(runRequest("npm test"));
      const { id } = await session.openCard();
      await fixture.permissions.respond(pressed(id, "no", { comment: "Use pnpm." }));
      await answer;
      assert.deepEqual(fixture.comments, ['I did not allow "npm test". Use pnpm.']);
    } finally {
      l10n.config({ contents: {} });
    }
  });

  it("records every answer with who gave it", async () => {
    await remember(runRequest("npm test"));
    await ask(runRequest("npm test --watch"));
    const shared = { at: 1_000, agentName: "Scripted agent", toolKind: "execute", effect: "allow", answer: "Once" };
    assert.deepEqual(fixture.history.records, [
      { ...shared, title: "npm test", detail: "npm test", by: "user" },
      {
        ...shared,
        title: "npm test --watch",
        detail: "npm test --watch",
        by: `command npm test (${fixture.guardFile}:3)`,
      },
    ]);
  });

  it("are answered by the user alone where the guard says so: no rule and no bypass stands in", async () => {
    await remember(runRequest("npm test"));
    fixture.bypass.agentIds.push("scripted");
    const marked = { ...(runRequest("npm test") as object), _meta: { "symposium/mustAsk": true } };
    assert.deepEqual([await isAllowed(runRequest("npm test")), await isAllowed(marked)], [true, false]);
  });

  describe("with a bypass", () => {
    it("allows once without a card", async () => {
      fixture.bypass.agentIds.push("scripted");
      assert.deepEqual(await ask(runRequest("rm -rf build")), once);
      assert.deepEqual(session.itemsOf("permission"), []);
    });

    it("still asks before the agent leaves its plan", async () => {
      fixture.bypass.agentIds.push("scripted");
      const toolCall = { toolCallId: "call", title: "Ready to code?", kind: "switch_mode" };
      void ask({ toolCall, options: agentOptions });
      assert.equal((await session.openCard()).title, "Ready to code?");
    });

    it("is set by the card and answers what waits already", async () => {
      const answers = [ask(runRequest("ls")), ask(runRequest("pwd"))];
      await session.openCard(1);
      const { id } = await session.openCard();
      await fixture.permissions.respond(pressed(id, "once", { bypassAll: true }));
      assert.deepEqual([await Promise.all(answers), fixture.bypass.agentIds], [[once, once], ["scripted"]]);
    });
  });

  describe("with a rule", () => {
    for (const command of ["npm test", "npm test --watch", "npm test -- --grep 'reads files' src/a.test.js"]) {
      it(`for npm test allows ${command}`, async () => {
        await remember(runRequest("npm test"));
        assert.equal(await isAllowed(runRequest(command)), true);
      });
    }

    for (const command of [
      "npm publish",
      "npm test && rm -rf /",
      "npm test; rm -rf /",
      "npm test | sh",
      "npm test > /etc/hosts",
      "npm test $(rm -rf /)",
      "npm test `id`",
      'npm test "$(id)"',
      "npm test \nrm -rf /",
      "npm test & id",
      "PATH=/tmp npm test",
      "npm --prefix /tmp test",
      "npm test --script-shell=./x",
      "npm test --prefix=/tmp",
      "npm test --prefix ../other",
      "npm test ~/x",
      "npm test .env",
      "npm test\u200b",
      "npm test *",
    ]) {
      it(`for npm test asks about ${JSON.stringify(command)}`, async () => {
        await remember(runRequest("npm test"));
        assert.equal(await isAllowed(runRequest(command)), false);
      });
    }

    it("asks about the same command in a folder outside the workspace", async () => {
      await remember(runRequest("npm test"));
      assert.equal(await isAllowed(runRequest("npm test", { cwd: tmpdir() })), false);
    });

    it("for reading asks when an argument is a link that leads out", async () => {
      await symlink("/etc/passwd", join(folder, "notes"));
      await remember(runRequest("cat src"));
      assert.deepEqual(
        [await isAllowed(runRequest("cat src")), await isAllowed(runRequest("cat notes"))],
        [true, false],
      );
    });

    it("takes commands of an interpreter word for word", async () => {
      await remember(runRequest("python3 build.py"));
      assert.deepEqual(
        [await isAllowed(runRequest("python3 build.py")), await isAllowed(runRequest("python3 build.py x"))],
        [true, false],
      );
    });

    it("for files of the workspace asks outside it and for sensitive ones", async () => {
      await writeFile(join(folder, "src/a.ts"), "");
      await symlink(tmpdir(), join(folder, "out"));
      await remember(editRequest(join(folder, "src/a.ts")));
      const paths = ["src/b.ts", "new/c.ts", ".env", ".git/config", ".vscode/tasks.json", "../x", "out/x", "a/id_rsa"];
      const answers: [string, boolean][] = [];
      for (const path of paths) answers.push([path, await isAllowed(editRequest(join(folder, path)))]);
      assert.deepEqual(
        answers.filter(([, isYes]) => isYes).map(([path]) => path),
        ["src/b.ts", "new/c.ts"],
      );
    });

    it("for one sensitive file allows that file alone", async () => {
      await remember(editRequest(join(folder, ".env")));
      assert.deepEqual(
        [await isAllowed(editRequest(join(folder, ".env"))), await isAllowed(editRequest(join(folder, ".env.local")))],
        [true, false],
      );
    });

    it("that rejects goes before one that allows, and before a bypass", async () => {
      const request = parsePermissionRequest(runRequest("npm test"), session);
      const subject = await subjectOf(request, session);
      const proposed = await fixture.remembered.proposed(subject, request, session);
      assert.ok(proposed);
      await fixture.remembered.add(proposed, "allow", subject, session, "session");
      await fixture.remembered.add(proposed, "reject", subject, session, "always");
      fixture.bypass.agentIds.push("scripted");
      assert.deepEqual([await ask(runRequest("npm test")), await ask(runRequest("npm test --watch"))], [no, no]);
      assert.deepEqual(await fixture.rules(), []);
    });

    const reject = async (params: unknown): Promise<void> => {
      const answer = ask(params);
      await fixture.permissions.respond(pressed((await session.openCard()).id, "no", { remember: "session" }));
      await answer;
    };

    it("that rejects a command covers it in any folder, with any variables and options, also during a bypass", async () => {
      await reject(runRequest("make | sh"));
      fixture.bypass.agentIds.push("scripted");
      const others = [{ cwd: "src" }, { env: { A: "b" } }, { with_escalated_permissions: true }];
      assert.deepEqual(await Promise.all(others.map((more) => ask(runRequest("make | sh", more)))), [no, no, no]);
      assert.deepEqual(await ask(runRequest("make | tee")), once);
    });

    it("that rejects files or a host covers the same files and host, in calls of its kind", async () => {
      const fetched = (url: string): unknown => {
        const toolCall = { toolCallId: "call", title: `Fetch ${url}`, kind: "fetch", rawInput: { url } };
        return { sessionId: "session-1", toolCall, options: agentOptions };
      };
      await reject(editRequest(join(folder, "src/a.ts")));
      await reject(fetched("https://a.example/x"));
      fixture.bypass.agentIds.push("scripted");
      const toolCall = { toolCallId: "call", title: "Read", kind: "read", locations: [{ path: "src/a.ts" }] };
      const given = [editRequest("src/b.ts"), fetched("https://a.example/y"), fetched("https://b.example/")];
      const read = { sessionId: "session-1", toolCall, options: agentOptions };
      assert.deepEqual(await Promise.all([...given, read].map((one) => ask(one))), [no, no, once, once]);
    });

    it("answers other requests that wait and match", async () => {
      const answers = [ask(runRequest("npm test a")), ask(runRequest("npm test b"))];
      await session.openCard(1);
      await fixture.permissions.respond(pressed((await session.openCard()).id, "once", { remember: "session" }));
      assert.deepEqual(await Promise.all(answers), [once, once]);
    });
  });
});
