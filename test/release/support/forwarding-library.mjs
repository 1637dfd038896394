const alignment = 0x200;
const sectionAddress = 0x1000;
const directoryBytes = 40;

/**
 * The bytes of a library for Windows on x64 without any code: each of `exports`, by its name, is another library's function,
 * as `library.Function`.
 */
export function forwardingLibrary(name, exports) {
  const names = Object.keys(exports).sort();
  const [functionsAt, namesAt, ordinalsAt, textsAt] = [0, 4, 8, 10].map((each) => directoryBytes + each * names.length);
  const section = Buffer.alloc(alignment);
  let end = textsAt;
  const put = (text) => {
    const address = sectionAddress + end;
    end += section.write(`${text}\0`, end, "latin1");
    return address;
  };
  const nameAddress = put(name);
  for (const [index, exported] of names.entries()) {
    section.writeUInt32LE(put(exports[exported]), functionsAt + 4 * index);
    section.writeUInt32LE(put(exported), namesAt + 4 * index);
    section.writeUInt16LE(index, ordinalsAt + 2 * index);
  }
  const tables = [functionsAt, namesAt, ordinalsAt].map((at) => sectionAddress + at);
  const directory = [0, 0, 0, nameAddress, 1, names.length, names.length, ...tables];
  for (const [index, value] of directory.entries()) section.writeUInt32LE(value, 4 * index);
  return Buffer.concat([headers(end), section]);
}

/** The headers of a library with one section, which has the export directory and ends with `exportBytes`. */
function headers(exportBytes) {
  const bytes = Buffer.alloc(alignment);
  const [pe, optional, section] = [0x40, 0x58, 0x148];
  const put16 = (values) => Object.entries(values).forEach(([at, value]) => bytes.writeUInt16LE(value, Number(at)));
  const put32 = (values) => Object.entries(values).forEach(([at, value]) => bytes.writeUInt32LE(value, Number(at)));
  bytes.write("MZ", 0, "latin1");
  bytes.write("PE\0\0", pe, "latin1");
  bytes.write(".edata", section, "latin1");
  bytes.writeBigUInt64LE(0x180000000n, optional + 24);
  // Processor, sections, bytes of the optional header, what it is; then its format, versions and subsystem.
  put16({ [pe + 4]: 0x8664, [pe + 6]: 1, [pe + 20]: section - optional, [pe + 22]: 0x2022 });
  put16({ [optional]: 0x20b, [optional + 40]: 6, [optional + 48]: 6, [optional + 68]: 3, [optional + 70]: 0x100 });
  // Alignments, sizes, number of directories, and the first of them.
  put32({ [pe - 4]: pe, [optional + 32]: sectionAddress, [optional + 36]: alignment });
  put32({ [optional + 56]: 2 * sectionAddress, [optional + 60]: alignment, [optional + 108]: 16 });
  put32({ [optional + 112]: sectionAddress, [optional + 116]: exportBytes });
  put32({ [section + 8]: alignment, [section + 12]: sectionAddress, [section + 16]: alignment });
  put32({ [section + 20]: alignment, [section + 36]: 0x40000040 });
  return bytes;
}
