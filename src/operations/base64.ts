/** Strict base64, for the transports, which do not import the domain. */
export { Base64Decoder } from '../domain/text/base64.ts';
