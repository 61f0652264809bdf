// The parts for Apple platforms.
