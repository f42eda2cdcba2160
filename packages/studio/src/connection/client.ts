import { createClient } from '@clewline/client'
import { settings } from '../settings.ts'

/** The server that the page came from. */
export const client = createClient({ token: () => settings.getState().token })
