import './compile-cache.ts';
import './user-settings.ts';
