import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import process from "node:process";

/*
 * `serve` prints its port, and answers a line `\0BYTES` with so many bytes. `fetch PORT PROXY ROUNDS BYTES` has that of it,
 * directly and by a tunnel in turn, and prints `{"direct": {"firstMs": [], "wholeMs": []}, "proxied": …}`. Both are no HTTP,
 * so the proxy passes the bytes on as it does those of TLS.
 */

const [mode, ...numbers] = process.argv.slice(2);
const piece = Buffer.alloc(65_536);

async function answer(socket: Socket): Promise<void> {
  socket.on("error", () => socket.destroy());
  const [asked] = (await once(socket, "data")) as [Buffer];
  for (let left = Number(asked.toString().slice(1)); left > 0; left -= piece.length) {
    if (!socket.write(piece.subarray(0, left))) await once(socket, "drain");
  }
  socket.end();
}

async function fetched(port: number, proxy: number | undefined, bytes: number): Promise<readonly [number, number]> {
  const begun = performance.now();
  const socket = connect({ port: proxy ?? port, host: "127.0.0.1", noDelay: true });
  if (proxy !== undefined) {
    socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
    await once(socket, "data");
  }
  socket.write(`\0${bytes}\n`);
  let [got, firstMs] = [0, 0];
  socket.on("data", (chunk: Buffer) => {
    if (got === 0) firstMs = performance.now() - begun;
    got += chunk.length;
  });
  await once(socket, "end");
  socket.end();
  if (got !== bytes) throw new Error(`${got} of ${bytes} bytes came`);
  return [firstMs, performance.now() - begun];
}

if (mode === "serve") {
  const server = createServer((socket) => void answer(socket));
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
  process.stdin.resume().on("end", () => process.exit(0));
} else {
  const [port = 0, proxy = 0, rounds = 0, bytes = 0] = numbers.map(Number);
  const figures = {
    direct: { firstMs: [] as number[], wholeMs: [] as number[] },
    proxied: { firstMs: [] as number[], wholeMs: [] as number[] },
  };
  // The first round of each is a warm-up.
  for (let round = -1; round < rounds; round++) {
    for (const [lane, way] of [
      [figures.direct, undefined],
      [figures.proxied, proxy],
    ] as const) {
      const [[firstMs], [, wholeMs]] = [await fetched(port, way, 1), await fetched(port, way, bytes)];
      if (round < 0) continue;
      lane.firstMs.push(firstMs);
      lane.wholeMs.push(wholeMs);
    }
  }
  process.stdout.write(JSON.stringify(figures));
}
