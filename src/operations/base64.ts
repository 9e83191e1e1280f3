/** Strict base64, for the transports, which do not use the rules. */
export { Base64Decoder } from '../domain/text/base64.ts';
