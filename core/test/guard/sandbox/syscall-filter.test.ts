import assert from "node:assert/strict";
import { syscallFilter } from "../../../src/guard/sandbox/syscall-filter.js";

const x86 = 0xc000003e;
const [allowed, eperm, enosys, eafnosupport] = [0x7fff0000, 0x50001, 0x50026, 0x50061];

/** Runs the filter on a call and returns the kernel's verdict. Supports only the instructions that the filter uses. */
function verdict(call: number, args: readonly number[] = [], arch = x86): number {
  const program = syscallFilter();
  const view = new DataView(program.buffer);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call, true);
  data.setUint32(4, arch, true);
  for (const [index, value] of args.entries()) data.setUint32(16 + 8 * index, value, true);
  let loaded = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [code, yes, no] = [view.getUint16(at * 8, true), view.getUint8(at * 8 + 2), view.getUint8(at * 8 + 3)];
    const value = view.getUint32(at * 8 + 4, true);
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data.getUint32(value, true);
    else if (code === 0x15) at += loaded === value ? yes : no;
    else if (code === 0x35) at += loaded >= value ? yes : no;
    else if (code === 0x45) at += (loaded & value) !== 0 ? yes : no;
    else assert.fail(`instruction ${at} is ${code}`);
  }
  return assert.fail("the filter has no end");
}

describe("the filter of system calls", () => {
  it("refuses namespaces and mounts, and allows threads and processes", () => {
    const [clone, unshare, clone3] = [56, 272, 435];
    assert.deepEqual(
      [
        verdict(clone, [0x003d0f00]),
        verdict(clone, [0x01200011]),
        // The lowest byte of `clone` is a signal, and not a flag for time namespaces.
        verdict(clone, [0x80]),
        ...[0x10000000, 0x00020000, 0x40000000, 0x20000000].map((flag) => verdict(clone, [flag | 17])),
        ...[0x10000000, 0x00020000, 0x80].map((flag) => verdict(unshare, [flag])),
        verdict(unshare, [0x200]),
        verdict(clone3),
        ...[165, 166, 155, 308, 428, 429, 430, 431, 432, 442].map((call) => verdict(call)),
      ],
      [
        ...[allowed, allowed, allowed],
        ...[eperm, eperm, eperm, eperm],
        ...[eperm, eperm, eperm],
        allowed,
        enosys,
        ...Array.from({ length: 10 }, () => eperm),
      ],
    );
  });

  it("allows the sockets that programs use, and refuses those of machines and kernels", () => {
    const families = [1, 2, 10, 16, 17, 38, 40];
    assert.deepEqual(
      families.map((family) => verdict(41, [family])),
      [allowed, allowed, allowed, allowed, eafnosupport, eafnosupport, eafnosupport],
    );
  });

  it("refuses words put into terminals, keyrings, io_uring, and calls of another interface", () => {
    assert.deepEqual(
      [verdict(16, [0, 0x5412]), verdict(16, [0, 0x541c]), verdict(16, [0, 0x5401]), verdict(250), verdict(425)],
      [eperm, eperm, allowed, eperm, eperm],
    );
    assert.deepEqual([verdict(0), verdict(0x40000000), verdict(0, [], 0x40000003)], [allowed, eperm, eperm]);
  });
});
