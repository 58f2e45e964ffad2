import type { Stats } from 'node:fs';
import { open, readdir } from 'node:fs/promises';

const HEADER_BYTES = 256;
const ELF_MAGIC = Buffer.from('\x7fELF', 'latin1');
const SCRIPT_MAGIC = Buffer.from('#!', 'latin1');
const FOREIGN_FORMATS_FOLDER = '/proc/sys/fs/binfmt_misc';

/** Processors that also run the programs of a smaller relative: x64 runs x86, arm64 runs arm (ELF `e_machine`). */
const RELATIVES: Readonly<Record<number, number>> = { 62: 3, 183: 40 };

/** A fleet starts the same file again and again: what was found in order is not read anew until its status changes. */
const soundFiles = new Map<string, string>();

/**
 * Why this machine cannot run the file, or undefined when it can or when that is not certain.
 *
 * Linux only, and necessary there: for a file of unknown format the system does not report ENOEXEC to Node, it hands
 * the file to `/bin/sh` as a script. An empty file then "succeeds", any other ends with 127 and a syntax error. A text
 * without `#!` is accepted for the same reason: it *is* a shell script to the system.
 */
export async function findWrongFormat(path: string, status: Stats): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const version = [status.dev, status.ino, status.size, status.mtimeMs, status.ctimeMs].join();
  if (soundFiles.get(path) === version) return undefined;
  const wrong = await wrongFormatOf(path);
  if (wrong === undefined) soundFiles.set(path, version);
  return wrong;
}

async function wrongFormatOf(path: string): Promise<string | undefined> {
  const header = await readHeader(path);
  if (header === undefined || startsWith(header, SCRIPT_MAGIC)) return undefined;
  if (header.length === 0) return 'The file is empty.';
  if (startsWith(header, ELF_MAGIC)) {
    return (await isForeignElf(header)) ? 'It was built for another kind of processor.' : undefined;
  }
  if (!header.includes(0) || (await areForeignFormatsRegistered())) return undefined;
  return 'The file is neither a program nor a script.';
}

/** Undefined when the file may be executed but not read: then only the system can tell. */
async function readHeader(path: string): Promise<Buffer | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

async function isForeignElf(header: Buffer): Promise<boolean> {
  const own = await readHeader(process.execPath);
  const ownMachine = own && elfMachine(own);
  const machine = elfMachine(header);
  if (ownMachine === undefined || machine === ownMachine) return false;
  if (machine !== undefined && RELATIVES[ownMachine] === machine) return false;
  return !(await areForeignFormatsRegistered());
}

/** `e_machine`: two bytes at offset 18, in the byte order that byte 5 names; undefined for a torso. */
function elfMachine(header: Buffer): number | undefined {
  if (!startsWith(header, ELF_MAGIC) || header.length < 20) return undefined;
  return header[5] === 2 ? header.readUInt16BE(18) : header.readUInt16LE(18);
}

/** With an emulator registered in the kernel, any format may be runnable. */
async function areForeignFormatsRegistered(): Promise<boolean> {
  const names = await readdir(FOREIGN_FORMATS_FOLDER).catch(() => []);
  return names.some((name) => name !== 'register' && name !== 'status');
}

function startsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}
