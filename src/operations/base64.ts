/** Strict base64, for the transports, which know no rule. */
export { Base64Decoder } from '../domain/text/base64.ts';
