import ArgumentParser
@main struct Sealring: AsyncParsableCommand { func run() async throws {} }
