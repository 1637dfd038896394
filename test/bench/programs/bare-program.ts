import process from "node:process";

/* Answers the first message, whatever it is: what a program costs that does nothing. */

process.stdin.once("data", () => {
  process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\n');
  process.stdin.on("end", () => process.exit(0)).resume();
});
