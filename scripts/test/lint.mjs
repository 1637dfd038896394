// lint.mjs PART: a part of `npm run lint` as one of `npm test`: one test, which fails with what the linter says.
import { spawn } from "node:child_process";
import { root, spawnArguments, toolEnvironment } from "../set-up.mjs";

const [part] = process.argv.slice(2);
const title = `${part} finds nothing to mend`;
process.send?.({ type: "begin", title });
const child = spawn(
  ...spawnArguments("npm", ["run", "--silent", `lint:${part}`], { cwd: root, env: toolEnvironment(), stdio: "pipe" }),
);
let output = "";
for (const stream of [child.stdout, child.stderr])
  stream.on("data", (chunk) => {
    output += chunk;
    process.stdout.write(chunk);
  });
child.on("error", (error) => end(1, error.message));
child.on("close", (code) => end(code ?? 1, output));

function end(code, error) {
  process.send?.(code === 0 ? { type: "passed", title } : { type: "failed", title, error });
  process.send?.({ type: "ended" });
  process.exitCode = code === 0 ? 0 : 1;
}
