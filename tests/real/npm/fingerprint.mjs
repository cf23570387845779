// What the Vercel AI SDK makes of a server:
//   node fingerprint.mjs BASELINE CAPABILITIES COMMAND [ARGUMENT…]
//   node fingerprint.mjs BASELINE CAPABILITIES URL
//
// Prints { fingerprints, drift }: the digest of each tool that the SDK's client lists, and how they differ from the map in
// the file BASELINE. CAPABILITIES is the JSON object that the client declares. Ends with 1 when the client can't list.
import { readFile } from 'node:fs/promises';

import { createMCPClient } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { detectToolDrift, fingerprintTools } from 'ai';

const [baselineFile, capabilities, command, ...args] = process.argv.slice(2);
const baseline = JSON.parse(await readFile(baselineFile, 'utf8'));

const fail = reason => {
  console.error(String(reason), reason?.cause ?? '');
  process.exit(1);
};
// A message that the client can't read is told only here, and the answer that it was is waited for in vain. The client's
// errors of its own are about messages that it has no use for.
const onUncaughtError = error => error?.name === 'MCPClientError' || fail(error);
setTimeout(fail, 30_000, 'no answer').unref();

const transport = /^https?:/.test(command)
  ? { type: 'http', url: command }
  : new StdioMCPTransport({ command, args, stderr: 'ignore' });
try {
  const client = await createMCPClient({ transport, capabilities: JSON.parse(capabilities), onUncaughtError });
  const fingerprints = await fingerprintTools(await client.tools());
  console.log(JSON.stringify({ fingerprints, drift: detectToolDrift(fingerprints, baseline) }));
  await client.close();
} catch (error) {
  fail(error);
}
