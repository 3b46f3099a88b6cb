# docker build --tag likeness .    --build-arg TORCH=cuda: for NVIDIA GPUs; PYTHON=3.11: for ARM, which needs a compiler. See docs/elsewhere.md
ARG PYTHON=3.11-slim
FROM python:$PYTHON
ARG TORCH=cpu
WORKDIR /source
COPY constraints.txt constraints-uv.txt ./
# the lock holds torch for CUDA; other builds of that version (uv's --torch-backend) are not in it
RUN pip install --no-cache-dir --require-hashes --requirement constraints-uv.txt && touch torch.txt && if [ "$TORCH" != cuda ]; then \
    grep -oE '^torch(vision)?==[0-9.]+' constraints.txt > torch.txt; sed -Ei '/^(torch|torchvision|triton|(nvidia|cuda)-[^=]+)==/,/[^\\]$/d' constraints.txt; fi \
    && uv pip install --system --no-cache --compile-bytecode --no-deps --require-hashes --requirement constraints.txt \
    && if [ -s torch.txt ]; then uv pip install --system --no-cache --compile-bytecode --torch-backend "$TORCH" --requirement torch.txt; fi
COPY . .
RUN uv pip install --system --no-cache --compile-bytecode --no-deps --no-build-isolation . && useradd likeness && install -d -o likeness /data
ENV LIKENESS_CACHE=/data/cache LIKENESS_RUNS=/data/runs HF_HOME=/data/huggingface
USER likeness
WORKDIR /data
VOLUME /data
EXPOSE 8501
CMD ["likeness", "app", "--address", "0.0.0.0", "--port", "8501", "--trust-network"]
