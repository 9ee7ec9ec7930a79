// Owns how the audit log names whoever works on the command line.
import { userInfo } from 'node:os';

export function actor(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // A container may run under a number without a name.
    return `cli:${process.getuid?.() ?? 'unknown'}`;
  }
}
