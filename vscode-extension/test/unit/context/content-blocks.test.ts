import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileUri } from "@symposium-dev/core";
import type { Attachment } from "../../../protocol/index.js";
import {
  type ContentSource,
  droppedAttachments,
  toContentBlocks,
} from "../../../src/features/context/content-blocks.js";

const everything = { image: true, audio: true, embeddedContext: true };
const nothing = { image: false, audio: false, embeddedContext: false };

describe("what is attached to a prompt", () => {
  let folder: string;
  let source: ContentSource;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "content-"));
    source = { unsavedText: () => undefined, problems: () => "", changes: () => Promise.resolve(undefined) };
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function file(name: string, content: string | Uint8Array): Promise<Extract<Attachment, { type: "file" }>> {
    await writeFile(join(folder, name), content);
    return { type: "file", uri: fileUri(join(folder, name)), label: name };
  }
  const blocks = (attachments: readonly Attachment[], accepts = everything): Promise<unknown> =>
    toContentBlocks(attachments, accepts, source);

  it("is embedded where the agent takes that, and linked elsewhere", async () => {
    const attachment = await file("a b#1.ts", "text");
    const { uri } = attachment;
    assert.match(uri, /\/a%20b%231\.ts$/);
    assert.deepEqual(await blocks([attachment]), [{ type: "resource", resource: { uri, text: "text" } }]);
    assert.deepEqual(await blocks([attachment], nothing), [{ type: "resource_link", uri, name: "a b#1.ts", size: 4 }]);
  });

  it("is linked when it is long or no text", async () => {
    const long = await file("long.txt", "x".repeat(100_001));
    const binary = await file("binary", new Uint8Array([1, 0, 2]));
    assert.deepEqual(await blocks([long, binary]), [
      { type: "resource_link", uri: long.uri, name: "long.txt", size: 100_001 },
      { type: "resource_link", uri: binary.uri, name: "binary", size: 3 },
    ]);
  });

  it("has the unsaved text of a document", async () => {
    const attachment = await file("a.ts", "disk");
    source = { ...source, unsavedText: () => "unsaved" };
    const { uri } = attachment;
    assert.deepEqual(await blocks([attachment]), [{ type: "resource", resource: { uri, text: "unsaved" } }]);
  });

  it("is an image where the agent takes images, and a sentence elsewhere", async () => {
    const picture = await file("a.png", new Uint8Array([1, 2, 3]));
    const pasted: Attachment = { type: "image", label: "pasted", mimeType: "image/png", data: "AQID" };
    assert.deepEqual(await blocks([picture, pasted]), [
      { type: "image", mimeType: "image/png", data: "AQID", uri: picture.uri },
      { type: "image", mimeType: "image/png", data: "AQID" },
    ]);
    assert.deepEqual(await blocks([pasted], nothing), [
      { type: "text", text: `[The image "pasted" was not sent: this agent doesn't accept images.]` },
    ]);
  });

  it("is the named lines of a file, with their place", async () => {
    const { uri } = await file("a.ts", "1\n2\n3\n4\n");
    const symbol: Attachment = { type: "symbol", uri, label: "f", startLine: 2, endLine: 3 };
    assert.deepEqual(await blocks([symbol]), [{ type: "resource", resource: { uri: `${uri}#L2-L3`, text: "2\n3" } }]);
    assert.deepEqual(await blocks([symbol], nothing), [
      { type: "text", text: `${join(folder, "a.ts")}:2-3:\n\`\`\`ts\n2\n3\n\`\`\`` },
    ]);
  });

  it("is the selection as it was", async () => {
    const uri = "untitled:Untitled-1";
    const selection: Attachment = { type: "selection", uri, label: "x", startLine: 5, endLine: 5, text: "sel" };
    assert.deepEqual(await blocks([selection]), [{ type: "resource", resource: { uri: `${uri}#L5`, text: "sel" } }]);
  });

  it("is a link to a folder", async () => {
    await mkdir(join(folder, "sub"));
    const uri = fileUri(join(folder, "sub"));
    assert.deepEqual(await blocks([{ type: "folder", uri, label: "sub" }]), [
      { type: "resource_link", uri, name: "sub" },
    ]);
  });

  it("is the problems, the terminal and the changes as text that no fence in them ends", async () => {
    source = { ...source, problems: () => "a.ts:1:1 error: x", changes: () => Promise.resolve("+```\n") };
    const terminal: Attachment = { type: "terminal", label: "npm test", text: "ok" };
    assert.deepEqual(
      await blocks([{ type: "problems", label: "Problems" }, terminal, { type: "git-diff", label: "Changes" }]),
      [
        { type: "text", text: "Problems:\na.ts:1:1 error: x" },
        { type: "text", text: "npm test:\n```\nok\n```" },
        { type: "text", text: "Changes:\n````diff\n+```\n````" },
      ],
    );
  });

  it("has English titles even if its labels are translated", async () => {
    const uri = fileUri(join(folder, "a b.ts"));
    const attachments: Attachment[] = [
      { type: "problems", label: "Probleme" },
      { type: "problems", label: "Probleme in a b.ts", uri },
      { type: "git-diff", label: "Änderungen" },
      { type: "text", label: "Alle Änderungen", title: "All changes", text: "x" },
    ];
    assert.deepEqual(await blocks(attachments), [
      { type: "text", text: "Problems:\nThere are none." },
      { type: "text", text: "Problems in a b.ts:\nThere are none." },
      { type: "text", text: "Changes:\nThe workspace isn't a Git repository." },
      { type: "text", text: "All changes:\n```\nx\n```" },
    ]);
  });

  it("is said to be gone when it cannot be read any more", async () => {
    const uri = fileUri(join(folder, "gone.ts"));
    assert.deepEqual(await blocks([{ type: "file", uri, label: "gone.ts" }]), [
      { type: "text", text: '["gone.ts" was attached but can no longer be read.]' },
    ]);
  });

  it("comes from URIs that were dropped, also those of a remote window", async () => {
    const { uri } = await file("a b.ts", "");
    const remote = uri.replace("file://", "vscode-remote://127.0.0.1:8000");
    const found = { type: "file", uri, label: "a b.ts" };
    assert.deepEqual(
      await droppedAttachments([uri, remote, fileUri(folder), fileUri(join(folder, "gone")), "https://example.com"]),
      [found, found, { type: "folder", uri: fileUri(folder), label: folder.slice(folder.lastIndexOf("/") + 1) }],
    );
  });
});
