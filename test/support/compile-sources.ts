import './compile-cache.ts';

/** Loads what most processes of the tests load, and ends: its compiled code is kept for them (`compile-cache.ts`). */
await import('chai');
await import('./in-process.ts');
await import('./hosted-service.ts');
await import('./mcp-client.ts');
await import('./modern-client.ts');
await import('./chromium.ts');
await import('./postgres-cluster.ts');
process.exit();
