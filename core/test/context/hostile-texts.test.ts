import assert from "node:assert/strict";
import { contextMark, marked, withoutMarked } from "../../src/base/acp/marked-text.js";
import { matchesGlobs } from "../../src/context/node/rules-source.js";
import { readMarkdown } from "../../src/context/node/front-matter.js";
import { PromptRequestEdit } from "../../src/context/prompt-request-edit.js";
import { WaitingFileInstructions } from "../../src/context/touched-files.js";
import { Notification, Request } from "../../src/base/rpc/message.js";

const rules = { folder: "/w" } as Parameters<typeof matchesGlobs>[0];

describe("globs of a repository", () => {
  it("mean files of that name anywhere, or paths; parentheses are part of names", () => {
    assert.deepEqual(
      [
        matchesGlobs(rules, ["*.ts"], "/w/src/a.ts"),
        matchesGlobs(rules, ["src/**/*.ts"], "/w/src/deep/a.ts"),
        matchesGlobs(rules, ["app/(auth)/*.tsx"], "/w/app/(auth)/page.tsx"),
        matchesGlobs(rules, ["*.{ts,tsx}"], "/w/a.tsx"),
        matchesGlobs(rules, ["*.ts"], "/other/a.ts"),
      ],
      [true, true, true, true, false],
    );
  });

  it("that would take for ever, or are too long, match nothing", () => {
    const name = `/w/${"a".repeat(60)}`;
    assert.equal(matchesGlobs(rules, ["*a*a*a*a*a*a*b", "(a|aa)+b", "a".repeat(70_000)], name), false);
  });
});

describe("front matter", () => {
  for (const line of ["globs: *.ts", "globs: **/*.ts", "applyTo: **"]) {
    it(`is read with a glob without quotes: ${line}`, async () => {
      const { matter, body } = await readMarkdown(`---\n${line}\ndescription: Rules\n---\nUse tabs.\n`);
      assert.deepEqual([matter["description"], body.trim()], ["Rules", "Use tabs."]);
      assert.match(JSON.stringify(matter), /\*/);
    });
  }
});

describe("a prompt with a long word", () => {
  it("is looked through for paths all the same", () => {
    const touched: string[] = [];
    const concerns = (path: string): boolean => touched.push(path) < 0;
    const waiting = new WaitingFileInstructions([{ title: "t", text: "t", concerns }], "/w");
    const text = `${"A".repeat(60_000)} see src/a.ts and @docs/b.md`;
    const request = Request.of("session/prompt", { sessionId: "s", prompt: [{ type: "text", text }] });
    const blocks = PromptRequestEdit.of(request);
    assert.ok(blocks);
    waiting.take(blocks);
    assert.deepEqual([...new Set(touched)], ["/w/src/a.ts", "/w/docs/b.md"]);
  });
});

describe("a replayed prompt", () => {
  const replayed = (text: string): unknown =>
    withoutMarked(
      Notification.of("session/update", {
        sessionId: "s",
        update: { sessionUpdate: "user_message_chunk", content: { type: "text", text } },
      }),
      contextMark,
    )?.params?.text;

  it("keeps the words of a user who mentions our mark, and loses what we put behind them", () => {
    const words = "Why does <symposium-context> show up in my log? Please fix. ";
    const text = String(replayed(`${words}${marked("Use tabs.", contextMark)}`));
    assert.match(text, /Why does <symposium-context> show up in my log\? Please fix\./);
    assert.doesNotMatch(text, /Use tabs/);
  });
});
