import { skein } from '../../../skein.ts'

// The log is in files, so the route runs on Node, not at the edge, and nothing of it is static.
export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

const handler = async (request: Request): Promise<Response> => (await skein).fetch(request)

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST }
