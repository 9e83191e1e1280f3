/** Yardstick of durable creates: everything but the store. `node no-store.ts <port>` */
import { createApp } from './express-app.ts';

createApp(() => undefined).listen(Number(process.argv[2]), '127.0.0.1');
