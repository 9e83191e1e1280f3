/** Serves until its input ends, in a process that was started with a limit of its own; says its port. */
import { HttpServer } from '../../src/http/http-server.ts';

const server = await HttpServer.listen({ host: '127.0.0.1', port: 0, handler: (_, response) => void response.end() });
process.stdout.write(`${server.port}\n`);
process.stdin.resume().once('end', () => process.exit(0));
