declare module 'virtual:lucide/*' {
  const drawn: import('./ui/icon.tsx').Icon;
  export default drawn;
}
