import { writeFileSync } from "node:fs";

/**
 * Language server with a fault, for tests: `fake-server.js FAULT [STATE FILE]`. Without a fault, the range of a definition is the first
 * line of the document, as the server received it.
 */
const [fault = "none", stateFile] = process.argv.slice(2);

if (fault === "dies-at-start") {
  process.stderr.write("fake-server: no licence\n");
  process.exit(3);
}
if (fault === "garbage") setInterval(() => process.stdout.write(Buffer.alloc(1024 * 1024, "x")), 1);

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly textDocument?: { readonly uri: string; readonly text?: string };
    readonly position?: { readonly line: number; readonly character: number };
    readonly newName?: string;
    readonly contentChanges?: { text: string }[];
  };
}

const texts = new Map<string, string>();

function send(message: object): void {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  if (fault === "stray-lines") process.stdout.write("Compiling...\n\nContent-Length: soon\n");
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** The columns of the answer tell how long the first line is, and how often the server was asked something. */
function definition(uri: string): object {
  const [line = ""] = (texts.get(uri) ?? "").split("\n");
  const end = { line: 0, character: line.length };
  return { uri, range: { start: { line: 0, character: 0 }, end } };
}

/** An older version says what it can do in words that have changed their meaning since, as clangd 14 does. */
function answerAsOld(id: Message["id"], method: string | undefined): void {
  const names = ["typeHierarchy", "callHierarchy", "implementation", "documentFormatting", "hover"];
  const capabilities = Object.fromEntries(names.map((name) => [`${name}Provider`, true]));
  const serverInfo = { name: "fake", version: "Debian fake version 14.0.6 linux+grpc" };
  if (method === "initialize") send({ id, result: { capabilities, serverInfo } });
  else if (method === "shutdown") send({ id, result: null });
  else if (method === "exit") process.exit(0);
  else if (id !== undefined) send({ id, error: { code: -32601, message: "method not found" } });
}

function answer({ id, method, params }: Message): void {
  const { textDocument } = params ?? {};
  if (fault === "garbage") return;
  if (fault === "old") return answerAsOld(id, method);
  switch (method) {
    case "initialize":
      send({
        id,
        result: {
          capabilities: {
            definitionProvider: true,
            referencesProvider: true,
            hoverProvider: true,
            renameProvider: fault === "prepares" ? { prepareProvider: true } : fault === "renames",
            codeActionProvider: true,
            workspaceSymbolProvider: true,
          },
        },
      });
      if (fault === "busy")
        send({
          method: "$/progress",
          params: { token: 1, value: { kind: "begin", title: "Reading", percentage: 40 } },
        });
      if (fault === "needs-answers")
        send({
          id: "asked",
          method: "workspace/configuration",
          params: { items: [{ section: "a.b" }, { section: "c" }, {}] },
        });
      return;
    case "textDocument/didOpen":
      if (textDocument) texts.set(textDocument.uri, textDocument.text ?? "");
      return;
    case "textDocument/didChange":
      if (textDocument) texts.set(textDocument.uri, params?.contentChanges?.[0]?.text ?? "");
      return;
    case "textDocument/definition":
      if (fault === "hangs") return;
      if (fault === "busy") return send({ method: "window/logMessage", params: { type: 4, message: "reading" } });
      if (fault === "dies-when-asked") process.exit(1);
      if (fault === "floods")
        for (let n = 0; n < 20_000; n++)
          send({ method: "window/logMessage", params: { type: 4, message: `line ${n} ${"x".repeat(200)}` } });
      send({ id, result: definition(textDocument?.uri ?? "") });
      return;
    case "textDocument/codeAction":
      send({ id, result: [{ title: "Clear", edit: { changes: { [textDocument?.uri ?? ""]: [] } } }] });
      return;
    case "textDocument/prepareRename": {
      // The first line is a name, the second one is left to the client, and the third one can't be renamed.
      const { line = 0 } = params?.position ?? {};
      const { range } = definition(textDocument?.uri ?? "") as { range: object };
      if (line === 2) send({ id, error: { code: -32803, message: "This is a keyword." } });
      else send({ id, result: [{ range, placeholder: "shown" }, { defaultBehavior: true }][line] ?? null });
      return;
    }
    case "textDocument/rename": {
      // The new name is the path of the file to change, from the document's folder.
      const uri = new URL(params?.newName ?? "", textDocument?.uri).href;
      const start = { line: 0, character: 0 };
      send({ id, result: { changes: { [uri]: [{ range: { start, end: start }, newText: "x" }] } } });
      return;
    }
    case "workspace/symbol":
      send({ id, result: [...texts.keys()].map((uri) => ({ name: "fake", kind: 12, location: definition(uri) })) });
      return;
    case "shutdown":
      send({ id, result: null });
      return;
    case "exit":
      process.exit(0);
      return;
    case undefined:
      return;
    default:
      if (id !== undefined) send({ id, result: null });
  }
}

let input = Buffer.alloc(0);
process.stdin.on("data", (chunk: Buffer) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const header = /^Content-Length: (\d+)\r\n\r\n/.exec(input.toString("latin1", 0, 64));
    const start = header?.[0].length ?? 0;
    const end = start + Number(header?.[1] ?? 0);
    if (!header || input.length < end) return;
    const message = JSON.parse(input.toString("utf8", start, end)) as Message & { readonly result?: unknown };
    input = input.subarray(end);
    if (message.id === "asked" && stateFile !== undefined) writeFileSync(stateFile, JSON.stringify(message.result));
    else answer(message);
  }
});
process.stdin.on("end", () => process.exit(0));
