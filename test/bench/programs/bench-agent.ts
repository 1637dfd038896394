import process from "node:process";

/*
 * The agent that is measured against, with nothing to load but itself. `stream` makes and writes every update by
 * itself, as agents do that pass on what a model says; `blocks` writes finished blocks, which asks the most of the
 * conductor and the least of the machine's cores.
 */

interface Call {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: readonly { readonly text?: string }[] };
}

/** How long it stays at most when it was told to ignore the end of its input. */
const longestStayMs = 20_000;
/** Bytes of one write. */
const blockSize = 64 * 1024;

const blocks = new Map<string, Piece>();

/** Content of one write. */
interface Piece {
  readonly bytes: Buffer | string;
  readonly lines: number;
}

/** `stream N BYTES` or `blocks N BYTES`: N updates of BYTES characters, as fast as they are taken. */
function run(sessionId: string, text: string, done: () => void): void {
  const [name, ...numbers] = text.split(" ");
  const [count = 0, size = 0] = numbers.map(Number);
  let left = count;
  const next = (): void => {
    while (left > 0) {
      const { bytes, lines } =
        name === "blocks" ? blockOf(sessionId, size, left) : { bytes: updateLine(sessionId, size), lines: 1 };
      left -= lines;
      if (process.stdout.write(bytes)) continue;
      process.stdout.once("drain", next);
      return;
    }
    done();
  };
  next();
}

function updateLine(sessionId: string, size: number): string {
  const content = { type: "text", text: "x".repeat(size) };
  const params = { sessionId, update: { sessionUpdate: "agent_message_chunk", content } };
  return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`;
}

/** At most `most` updates in one piece. */
function blockOf(sessionId: string, size: number, most: number): Piece {
  const key = `${sessionId} ${size}`;
  let block = blocks.get(key);
  if (!block) {
    const line = updateLine(sessionId, size);
    const lines = Math.max(1, Math.floor(blockSize / line.length));
    block = { bytes: Buffer.from(line.repeat(lines)), lines };
    blocks.set(key, block);
  }
  if (block.lines <= most) return block;
  return { bytes: updateLine(sessionId, size).repeat(most), lines: most };
}

function receive(line: string): void {
  const { id, method, params } = JSON.parse(line) as Call;
  if (id === undefined) return;
  const answer = (result: unknown): void =>
    void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  switch (method) {
    case "initialize":
      answer({ protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } }, authMethods: [] });
      break;
    case "session/new":
      answer({ sessionId: `bench${++sessions}` });
      break;
    case "session/prompt":
      run(params?.sessionId ?? "", params?.prompt?.[0]?.text ?? "", () => answer({ stopReason: "end_turn" }));
      break;
    default:
      answer({});
  }
}

let sessions = 0;
const ignoresEnd = process.argv.includes("--ignore-eof");
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) receive(line);
});
process.stdin.on("end", () => {
  if (!ignoresEnd) process.exit(0);
  setTimeout(() => process.exit(3), longestStayMs);
});
process.stdout.on("error", () => process.exit(0));
